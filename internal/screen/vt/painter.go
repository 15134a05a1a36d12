package vt

import "strconv"

// painter writes cells as bytes for another terminal.
type painter struct {
	t   *Terminal
	out []byte
	now uint32 // the style that is set there

	apart bool // mode 2027 is reset there
	bare  bool // what does not show is left out
}

// cell writes what a cell shows, in its style; nothing is a blank.
func (p *painter) cell(c cell) {
	p.style(c.style())
	apart := p.apart
	if c&cluster != 0 { // narrow ones were printed apart, or had no room to grow
		apart = p.t.grapheme(c).Width() != c.width()
	}
	if apart != p.apart {
		p.private(2027, !apart)
	}
	p.out = p.t.glyph(p.out, c)
	if apart != p.apart {
		p.private(2027, apart)
	}
}

// style sets a style.
func (p *painter) style(n uint32) {
	if n == p.now {
		return
	}
	s, old := p.t.styles[n], p.t.styles[p.now]
	p.now = n
	p.setStyle(s, old)
}

func (p *painter) setStyle(s, old style) {
	if s.link != old.link {
		p.link(p.t.links[s.link])
	}
	if (s.attrs^old.attrs)&protected != 0 && !p.bare {
		p.put("\x1b[", oneIf(s.attrs&protected != 0)%2, "\"q")
	}
	s.link, old.link = 0, 0
	s.attrs &^= protected
	old.attrs &^= protected
	if s == old {
		return
	}
	p.out = append(p.out, "\x1b["...)
	if s != (style{}) {
		p.out = append(p.out, '0')
		p.out = s.sgr(p.out)
	}
	p.out = append(p.out, 'm')
}

func (p *painter) link(l link) {
	p.out = append(p.out, "\x1b]8;"...)
	if l.id != "" {
		p.out = append(append(p.out, "id="...), l.id...)
	}
	p.out = append(append(append(p.out, ';'), l.url...), "\x1b\\"...)
}

// put writes texts and numbers.
func (p *painter) put(parts ...any) {
	for _, part := range parts {
		switch v := part.(type) {
		case string:
			p.out = append(p.out, v...)
		case int:
			p.out = strconv.AppendInt(p.out, int64(v), 10)
		}
	}
}

// at goes to a place; origin mode must not be set there, or the margins must be none.
func (p *painter) at(x, y int) { p.put("\x1b[", y+1, ";", x+1, "H") }
