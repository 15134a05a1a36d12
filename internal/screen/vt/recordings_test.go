package vt

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
)

// recording is what a real program wrote, with the screens that tmux made of it.
type recording struct {
	name       string
	cols, rows int
	raw        []byte
	stops      []stop // in order
}

// stop is a place in a recording: the screen is compared there, or the size changes.
type stop struct {
	Offset     int
	Label      string
	Cols, Rows int
	text       []string
	screen     string
	x, y       int
}

// recordings reads those in testdata: they are what ../shared/terminal has.
func recordings(t testing.TB) []recording {
	t.Helper()
	files := map[string]string{}
	f, err := os.Open("testdata/recordings.tar.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimPrefix(h.Name, "./")] = string(b)
	}
	var out []recording
	for name := range files {
		if name, ok := strings.CutSuffix(name, ".raw"); ok {
			out = append(out, read(t, files, name))
		}
	}
	slices.SortFunc(out, func(a, b recording) int { return strings.Compare(a.name, b.name) })
	if len(out) < 17 {
		t.Fatalf("only %d recordings", len(out))
	}
	return out
}

func read(t testing.TB, files map[string]string, name string) recording {
	t.Helper()
	r := recording{name: name, raw: []byte(files[name+".raw"])}
	if _, err := fmt.Sscan(files[name+".size"], &r.cols, &r.rows); err != nil {
		t.Fatal(err)
	}
	for _, list := range []string{".marks", ".events"} {
		for d := json.NewDecoder(strings.NewReader(files[name+list])); ; {
			var s stop
			if err := d.Decode(&s); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			if s.Label != "" {
				s.Label = "." + s.Label
			}
			r.stops = append(r.stops, s)
		}
	}
	r.stops = append(r.stops, stop{Offset: len(r.raw)})
	slices.SortStableFunc(r.stops, func(a, b stop) int { return a.Offset - b.Offset })
	for i := range r.stops {
		s := &r.stops[i]
		if s.Cols > 0 {
			continue
		}
		s.text = strings.Split(strings.TrimSuffix(files[name+s.Label+".text"], "\n"), "\n")
		s.screen = files[name+s.Label+".screen"]
		if _, err := fmt.Sscan(files[name+s.Label+".cursor"], &s.x, &s.y); err != nil {
			t.Fatalf("%s%s: %v", name, s.Label, err)
		}
	}
	return r
}

// play feeds a recording in pieces of a size, and stops where there is something to see.
func (r recording) play(t *Terminal, size int, at func(s stop)) {
	from := 0
	for _, s := range r.stops {
		for from < s.Offset {
			n := min(size, s.Offset-from)
			_, _ = t.Write(r.raw[from : from+n])
			from += n
		}
		if s.Cols > 0 {
			t.Resize(s.Cols, s.Rows)
		} else if at != nil {
			at(s)
		}
	}
}

// screenLines are the lines of a screen as they are stored.
func screenLines(t *Terminal) []string {
	return strings.Split(strings.TrimSuffix(t.Text(), "\n"), "\n")
}

// oddities are the places where the reference screens are wrong, as their README names
// them: tmux keeps 21 bytes of a character at most, stores the letters of line drawing
// and draws nothing for malformed UTF-8.
var oddities = strings.NewReplacer(
	"👧\u200d 🏳", "👧\u200d👦 🏳",
	"🏴\U000e0067\U000e0062\U000e0073\U000e0063 |", "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f |",
	"lqqqk box x |", "┌───┐ box │ |",
	"bad utf8:  (   end", "bad utf8: \uFFFD \uFFFD( \uFFFD \uFFFD end",
)

// TestRecordings: the screens and cursors of real programs are those of the reference.
func TestRecordings(t *testing.T) {
	for _, r := range recordings(t) {
		for _, size := range []int{1 << 30, 1, 7} {
			term := New(r.cols, r.rows)
			r.play(term, size, func(s stop) {
				got := screenLines(term)
				for y := range max(len(got), len(s.text)) {
					var a, b string
					if y < len(got) {
						a = got[y]
					}
					if y < len(s.text) {
						b = oddities.Replace(s.text[y])
					}
					if a != b {
						t.Errorf("%s%s, pieces of %d: line %d is\n%q, want\n%q", r.name, s.Label, size, y, a, b)
					}
				}
				if x, y := term.Cursor(); x != s.x || y != s.y {
					t.Errorf("%s%s, pieces of %d: the cursor is at %d %d, want %d %d", r.name, s.Label, size, x, y, s.x, s.y)
				}
			})
		}
	}
}

// TestRecordingsLooks: every character of the recordings has the colours and attributes
// of the reference, which has no links and no colours of underlines.
func TestRecordingsLooks(t *testing.T) {
	for _, r := range recordings(t) {
		term := New(r.cols, r.rows)
		r.play(term, 1<<12, func(s stop) {
			screen := strings.ReplaceAll(strings.TrimSuffix(s.screen, "\n"), "5:3", "53") // tmux writes overline like that
			want := fed(term.cols, term.rows, "\x1b[?7l\x1b)0"+strings.ReplaceAll(oddities.Replace(screen), "\n", "\r\n"))
			for y := range term.rows {
				for x, c := range want.screen.rows[y].cells {
					if c&content == 0 {
						continue
					}
					a, b := term.styles[term.screen.rows[y].cells[x].style()], want.styles[c.style()]
					a.link, a.line = 0, 0
					if a != b {
						t.Errorf("%s%s: %q at %d %d looks like %+v, want %+v", r.name, s.Label, want.glyph(nil, c), x, y, a, b)
					}
				}
			}
		})
	}
}
