package gate

import (
	"strings"
	"testing"
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
		if d := differs("", w, w); d != "" {
			t.Errorf("%s differs from itself: %s", want, d)
		}
		if g, err := decode([]byte(got)); err == nil {
			differs("", w, g)
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
