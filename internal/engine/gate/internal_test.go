package gate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kedge/internal/core/check"
	"kedge/internal/process"
	"kedge/internal/process/tape"
)

func FuzzSubset(f *testing.F) {
	f.Add(`{"a":[1,2.0,{"b":null}],"c":"x"}`, `{"a":[1,2,{"b":null,"d":1}],"c":"x","e":true}`)
	f.Add(`1e400`, `1E400`)
	f.Add(`[1e999999999]`, `[1e999999998]`)
	f.Fuzz(func(t *testing.T, want, got string) {
		w, err := decode([]byte(want))
		if err != nil {
			return
		}
		if d := check.Differs(w, w); d != "" {
			t.Errorf("%s differs from itself: %s", want, d)
		}
		if g, err := decode([]byte(got)); err == nil {
			check.Differs(w, g)
		}
	})
}

func FuzzGoList(f *testing.F) {
	f.Add([]byte(`{"ImportPath":"m/a","Dir":"/m/a","Deps":["fmt"],"TestImports":["m/b"]}{"ImportPath":"m/b","Dir":"/m/b"}`), "a/a.go")
	f.Fuzz(func(t *testing.T, list []byte, file string) {
		p := goPackages{dir: "/m"}
		if p.read(list) != nil {
			return
		}
		names, whole := p.concerns(file)
		if whole && len(names) > 0 {
			t.Errorf("%q: everything, and %v", file, names)
		}
	})
}

func FuzzQuote(f *testing.F) {
	f.Add("it's")
	f.Add("-rf")
	f.Add("")
	f.Fuzz(func(t *testing.T, word string) {
		got := quote(word)
		if got == word {
			if word == "" || strings.ContainsAny(word, " \t\n'\"\\$`;&|<>(){}[]*?!#~") {
				t.Errorf("%q is not quoted", word)
			}
			return
		}
		inner := strings.TrimSuffix(strings.TrimPrefix(got, "'"), "'")
		if strings.ReplaceAll(inner, `'\''`, "'") != word {
			t.Errorf("%q becomes %s", word, got)
		}
	})
}

// TestHeldOutputIsBounded: of an output over its limit the log has the beginning
// and the end, and says what is missing; the tape loses its middle meanwhile.
func TestHeldOutputIsBounded(t *testing.T) {
	dir, log := t.TempDir(), filepath.Join(t.TempDir(), "x.log")
	w, err := tape.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	const line = 64
	total := int64(4 * tape.SegmentSize)
	for at := int64(0); at < total; at += line {
		w.Append(fmt.Appendf(nil, "%0*d\n", line-1, at), time.Unix(0, 0))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	l := heldLine{spec: process.Spec{Limit: 4 << 20}, dir: dir}
	l.thin(total)
	for n, want := range []bool{true, false, false, true} {
		if _, err := os.Stat(filepath.Join(dir, fmt.Sprintf("log.%d", n))); (err == nil) != want {
			t.Errorf("segment %d: %v", n, err)
		}
	}
	bytes, dropped, err := copyOutput(dir, log, 4<<20)
	if err != nil || bytes != total || dropped != total-4<<20 {
		t.Errorf("%d bytes, %d dropped, %v", bytes, dropped, err)
	}
	b, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	head, tail, ok := strings.Cut(string(b), process.Missing(dropped))
	if !ok || len(head) != 3<<20 || len(tail) != 1<<20 {
		t.Errorf("%d bytes before and %d after what is missing (%t)", len(head), len(tail), ok)
	}
	if !strings.HasPrefix(head, strings.Repeat("0", line-1)) || !strings.HasSuffix(tail, fmt.Sprintf("%0*d\n", line-1, total-line)) {
		t.Error("the log does not begin or end as the output does")
	}
}
