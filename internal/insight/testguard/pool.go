package testguard

import (
	"slices"
	"strings"

	"kedge/internal/core/detect"
	"kedge/internal/core/review"
	"kedge/internal/text/lazyre"
)

// pool settles claims that tests have lost against those that are new in the change. A claim
// that is found again has moved; one that something like it stands for has changed; the others are
// gone.
type pool struct {
	c      *comparison
	losses []loss
	fresh  []gain
	tries  int
	of     map[int][]int // the losses of each unit
}

// fate says what became of a claim.
type fate int

const (
	lost     fate = iota
	excused       // asserted nothing of its own, or its helper is gone
	found         // the same is elsewhere, or what it was about is gone
	replaced      // something else stands for it
	loosened      // something that asserts less does
)

// loss is a claim that a test no longer has; unit is its pair, or behind them the test that is gone.
type loss struct {
	claim
	unit int
	fate fate
	by   int // the new claim that stands for it; -1: none in particular
}

// gain is a claim that a test had not; unit is its pair, or behind them its added test.
type gain struct {
	claim
	unit int
	used bool
}

func newPool(c *comparison) *pool {
	p := &pool{c: c}
	for i, pr := range c.pairs {
		if pr.was.unknown || pr.is.unknown {
			continue
		}
		missing, fresh := difference(pr.was.claims, pr.is.claims)
		p.lose(i, asOften(stillSaid(onceMore(missing, pr.is.claims), pr.is), pr), pr)
		p.gain(i, fresh)
	}
	for i, g := range c.gone {
		p.lose(len(c.pairs)+i, g.claims, pair{was: g, is: test{rest: g.rest}})
	}
	for i, a := range c.added {
		p.gain(-1-i, a.claims)
	}
	p.exact()
	p.within(0.5)
	p.helped(0.5)
	p.counted(nil)
	p.counted(bindings{})
	p.carried()
	p.spied()
	p.across(0.7)
	p.implied()
	p.loosen()
	p.of = map[int][]int{}
	for i, l := range p.losses {
		p.of[l.unit] = append(p.of[l.unit], i)
	}
	return p
}

// difference gives the claims of each list that the other has not.
func difference(was, is []claim) (missing, fresh []claim) {
	have := map[string]int{}
	for _, c := range is {
		have[c.Text()]++
	}
	for _, c := range was {
		if have[c.Text()] == 0 {
			missing = append(missing, c)
			continue
		}
		have[c.Text()]--
	}
	for _, c := range slices.Backward(is) {
		if have[c.Text()] > 0 {
			have[c.Text()]--
			fresh = append(fresh, c)
		}
	}
	slices.Reverse(fresh)
	return missing, fresh
}

// onceMore drops rows that their table still has: to say the same twice asserts no more.
func onceMore(missing, is []claim) []claim {
	type row struct {
		table int
		text  string
	}
	have := map[row]bool{}
	for _, c := range is {
		if c.row {
			have[row{c.table, c.Text()}] = true
		}
	}
	return slices.DeleteFunc(missing, func(c claim) bool { return c.row && have[row{c.table, c.Text()}] })
}

// stillSaid drops rows that the test still has, though not in a list: a call may have got them.
func stillSaid(missing []claim, is test) []claim {
	if !slices.ContainsFunc(missing, func(c claim) bool { return c.row }) {
		return missing
	}
	text := strings.Join(detect.Tokens(strings.Join(is.body, "\n")), " ")
	for _, c := range is.claims {
		text = strings.ReplaceAll(text, c.Text(), "") // what is in a list is counted there
	}
	return slices.DeleteFunc(missing, func(c claim) bool { return c.row && (is.rest || len(c.Asks) > 2) && strings.Contains(text, c.Text()) })
}

func (p *pool) lose(unit int, claims []claim, pr pair) {
	is := pr.is
	var idle map[string]bool
	if len(claims) > 0 {
		idle = review.Hollow(is.body)
	}
	for _, c := range claims {
		l := loss{claim: c, unit: unit, by: -1}
		switch {
		case idle[c.Text()] || !c.aside && c.out(pr): // the condition is still there, or the claim as a comment
			l.fate = loosened
		case strings.HasSuffix(is.path, ".bats") && succeeds.MatchString(c.Text()) && review.RunsPlainly(pr.was.body, is.body):
			l.fate = found // a plain command has to succeed
		case c.aside || c.vacuous() || is.rest && c.owner != "" && !is.helpers[c.owner] && !(c.row && p.needs(pr.was.path, c.owner)):
			l.fate = excused
		case p.c.removed.Names(c.Asks, nil) || p.c.removed.Gave(pr.was.body, c.Asks):
			l.fate = found // with what it was about
		case c.thrown(pr):
			l.fate = excused
		}
		if l.fate <= excused && !c.row && !is.rest && c.bared(pr) {
			l.fate = loosened
		}
		p.losses = append(p.losses, l)
	}
}

// needs tells whether a test that is still there went through a table.
func (p *pool) needs(path, table string) bool {
	return slices.ContainsFunc(p.c.pairs, func(pr pair) bool {
		return !pr.was.rest && pr.was.path == path && slices.ContainsFunc(pr.was.body, func(l string) bool { return slices.Contains(detect.Words(l), table) })
	})
}

// succeeds asks for the status of what was run.
var succeeds = lazyre.New(`^\[\[? (?:"\$ ?\{? ?status ?\}?"|\$ \{? ?status ?\}?) (?:- eq|==?) "?0"? \]`)

// out tells whether a claim was commented out.
func (c claim) out(pr pair) bool {
	if len(c.Asks) < 3 && !(c.row && len(c.Text()) > 7) || pr.is.aside == "" {
		return false
	}
	text := c.Text()
	return strings.Contains(pr.is.aside, text) && !strings.Contains(pr.was.aside, text)
}

func (p *pool) gain(unit int, claims []claim) {
	for _, c := range claims {
		if !c.vacuous() {
			p.fresh = append(p.fresh, gain{claim: c, unit: unit})
		}
	}
}

// exact finds claims that moved as they are.
func (p *pool) exact() {
	at := map[string][]int{}
	for i, f := range p.fresh {
		at[f.Text()] = append(at[f.Text()], i)
	}
	for i := range p.losses {
		l := &p.losses[i]
		if l.fate != lost {
			continue
		}
		for _, k := range at[l.Text()] {
			if f := &p.fresh[k]; !f.used && p.stands(f, l) {
				l.fate, f.used, l.by = found, true, k
				break
			}
		}
	}
}

// stands tells whether a new claim may stand for a lost one. An assertion of a test that is gone
// must be in a test again: in a helper it may never run.
func (p *pool) stands(f *gain, l *loss) bool {
	into := p.gains(f.unit)
	if out := p.loses(l.unit); f.unit == l.unit || out.rest && out.path == into.path {
		return true
	}
	if out := p.loses(l.unit); l.unit >= len(p.c.pairs) && !f.row && into.rest && !(out.rest && 2*detect.KeptLines(out.body, into.body) >= len(out.body)) {
		return false
	}
	return l.Specific() || into.rest || near(p.loses(l.unit), into)
}

// gains is the test that has a new claim, and loses the one that has lost a claim.
func (p *pool) gains(unit int) test {
	if unit < 0 {
		return p.c.added[-1-unit]
	}
	return p.c.pairs[unit].is
}

func (p *pool) loses(unit int) test {
	if n := len(p.c.pairs); unit >= n {
		return p.c.gone[unit-n]
	}
	return p.c.pairs[unit].was
}

// near tells whether a test goes through what another one did: it has half of its values, or of its
// lines where it has none. Claims that name no value are in every other test.
func near(was, is test) bool {
	values := claim{Asks: detect.Tokens(strings.Join(was.body, "\n"))}.Values()
	if len(values) == 0 {
		return 2*detect.KeptLines(was.body, is.body) >= len(was.body)
	}
	return 2*detect.KeptLines(values, detect.Tokens(strings.Join(is.body, "\n"))) >= len(values)
}

// units gives the new claims of each unit.
func (p *pool) units() map[int][]int {
	out := map[int][]int{}
	for i, f := range p.fresh {
		out[f.unit] = append(out[f.unit], i)
	}
	return out
}

// within finds claims of the same test that stand for a lost one: those that share its meaning. One
// that has nearly all of it may stand for several.
func (p *pool) within(share float64) {
	units := p.units()
	for i := range p.losses {
		l := &p.losses[i]
		if l.fate != lost {
			continue
		}
		best, at := 0.0, -1
		for _, k := range units[l.unit] {
			if p.tries++; p.tries > maxPairs {
				return
			}
			f := p.fresh[k]
			s := f.Covers(l.Asks)
			if s < share && (f.Holds(l.Asks) || f.Throws(l.Asks)) {
				s = share
			}
			if s > best && (!f.used || (s >= 0.8 || f.Holds(l.Asks)) && len(f.Asks) > len(l.Asks) && f.HasLiterals(l.Asks)) {
				best, at = s, k
			}
		}
		if best >= share {
			p.replace(l, at)
		}
	}
}

func (p *pool) replace(l *loss, at int) {
	p.fresh[at].used, l.fate = true, replaced
	l.by = at
}

// counted lets new claims of the same test stand for lost ones about the same things: the test was
// rewritten. Which one stands for which does not matter, but that there are as many does.
// Bound says what their variables were given; nil: nobody asks.
func (p *pool) counted(bound bindings) {
	units := p.units()
	product := map[int]int{}
	for _, i := range p.strongestFirst() {
		l := &p.losses[i]
		if l.fate != lost || !p.about(l, units[l.unit], bound) {
			continue
		}
		units[l.unit] = slices.DeleteFunc(units[l.unit], func(k int) bool { return p.fresh[k].used })
		if free := units[l.unit]; len(free) > 0 {
			at := slices.IndexFunc(free, func(k int) bool { return !p.fresh[k].row && p.fresh[k].Asks[0] == l.Asks[0] })
			p.replace(l, free[max(at, 0)])
		}
		if l.fate == lost && l.unit < len(p.c.pairs) {
			if product[l.unit]++; product[l.unit] <= p.cases(l.unit) {
				l.fate = replaced
			}
		}
	}
}

// strongestFirst are the losses by their strength: what stands for them is given to those that asked most.
func (p *pool) strongestFirst() []int {
	out := make([]int, len(p.losses))
	for i := range out {
		out[i] = i
	}
	slices.SortStableFunc(out, func(a, b int) int { return int(p.losses[b].Strength()) - int(p.losses[a].Strength()) })
	return out
}

// carried finds assertions that several lines have taken over: values are collected, and compared at
// once. The new lines name all that the assertion named.
func (p *pool) carried() {
	units := p.units()
	lines := map[int]map[string]bool{}
	for i := range p.losses {
		l := &p.losses[i]
		if l.fate != lost || l.row || l.unit >= len(p.c.pairs) || len(units[l.unit]) == 0 {
			continue
		}
		if lines[l.unit] == nil {
			lines[l.unit] = claim{Asks: detect.Tokens(strings.Join(freshLines(p.c.pairs[l.unit]), "\n"))}.Things()
		}
		if namesAll(l.claim, lines[l.unit]) {
			l.fate = replaced
		}
	}
}

// freshLines are the lines that a test had not.
func freshLines(pr pair) []string {
	had := map[string]bool{}
	for _, l := range pr.was.body {
		had[l] = true
	}
	return slices.DeleteFunc(slices.Clone(pr.is.body), func(l string) bool { return had[l] })
}

// namesAll tells whether all things that a claim names, at least two, are among some.
func namesAll(c claim, some map[string]bool) bool {
	n := 0
	for w := range c.Things() {
		if w[0] == '"' {
			continue
		}
		if n++; !some[w] {
			return false
		}
	}
	return n > 1
}

// cases is how many more assertions the new rows of a test stand for than are written down: each is
// made for each row.
func (p *pool) cases(unit int) int {
	rows, asserts := 0, assertions(p.c.pairs[unit].is)
	for _, f := range p.fresh {
		if f.unit == unit && f.row {
			rows++
		}
	}
	return rows*asserts - rows - asserts
}

// across finds claims of other tests that stand for a lost one.
func (p *pool) across(share float64) {
	for i := range p.losses {
		l := &p.losses[i]
		if l.fate != lost || len(l.Meaning()) < 2 {
			continue
		}
		best, at := 0.0, -1
		for k := range p.fresh {
			if p.tries++; p.tries > maxPairs {
				return
			}
			f := &p.fresh[k]
			s := f.Covers(l.Asks)
			if s < share && !f.used && l.Telling() && f.Holds(l.Asks) {
				s = share
			}
			if s > best && (!f.used || s == 1 && len(f.Asks) > len(l.Asks)) && p.stands(f, l) {
				best, at = s, k
			}
		}
		if best >= share {
			p.replace(l, at)
		}
	}
}

// implied excuses claims that only asked whether there is something: another claim of the same test
// about the same thing, which still stands or has a successor, asks for more.
func (p *pool) implied() {
	replacedIn := map[int][]claim{}
	for _, l := range p.losses {
		if l.fate == found || l.fate == replaced {
			replacedIn[l.unit] = append(replacedIn[l.unit], l.claim)
		}
	}
	for i := range p.losses {
		l := &p.losses[i]
		if l.fate != lost || l.OfCase() {
			continue
		}
		if !l.loose() {
			if l.Measures() && slices.ContainsFunc(p.fresh, func(f gain) bool {
				return f.unit == l.unit && !f.row && f.Whole() && (f.Shares(l.Asks) || l.owner != "" && f.owner == l.owner)
			}) {
				l.fate = excused
			}
			continue
		}
		if l.unit < len(p.c.pairs) && l.owner != "" && p.left(l) {
			l.fate = excused
			continue
		}
		others := replacedIn[l.unit]
		if l.unit < len(p.c.pairs) {
			others = slices.Concat(others, p.c.pairs[l.unit].is.claims)
		}
		if slices.ContainsFunc(others, func(o claim) bool { return !o.loose() && !o.row && o.Shares(l.Asks) && o.NamesAll(l.Asks) }) {
			l.fate = excused
		}
	}
}

// left tells whether a helper no longer has what a claim was about, but other claims.
func (p *pool) left(l *loss) bool {
	words := detect.Words(strings.Join(p.c.pairs[l.unit].is.body, "\n"))
	for w := range l.Things() {
		if w[0] != '"' && slices.Contains(words, w) {
			return false
		}
	}
	return slices.ContainsFunc(p.fresh, func(f gain) bool { return f.unit == l.unit && f.owner == l.owner && !f.row })
}

// tabled tells whether a test that is gone has become a row of another one: that has got a new row
// which stands for nothing else, and does all that the other did.
func (p *pool) tabled(g test) bool {
	was := claim{Asks: detect.Tokens(strings.Join(g.body, "\n"))}
	for i := range p.fresh {
		f := &p.fresh[i]
		if f.used || !f.row {
			continue
		}
		into := p.gains(f.unit)
		if into.path == g.path && !into.rest && into.skip <= g.skip && namesAlmostAll(was, claim{Asks: detect.Tokens(strings.Join(into.body, "\n"))}) {
			f.used = true
			return true
		}
	}
	return false
}

// namesAlmostAll tells whether four fifths of the things that a text names are in another, at least
// three.
func namesAlmostAll(was, is claim) bool {
	kept, all := sharedNames(was, is)
	return kept > 2 && 5*kept >= 4*all
}

// kept tells whether all that a test claimed is still claimed elsewhere.
func (p *pool) kept(unit int) bool {
	any := false
	for _, i := range p.of[unit] {
		switch p.losses[i].fate {
		case lost, loosened:
			return false
		case found, replaced:
			any = true
		case excused:
		}
	}
	return any
}
