package process

import "testing"

func TestParseStatNamesWithBrackets(t *testing.T) {
	p, err := parseStat(7, "7 (a) R 1 ) (b) S 5 6 7 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 12345 1 1 18446744073709551615")
	if err != nil {
		t.Fatal(err)
	}
	if want := (process{pid: 7, ppid: 5, pgid: 6, start: "12345"}); p != want {
		t.Errorf("%+v, want %+v", p, want)
	}
	if p, err := parseStat(7, "7 (z) Z 5 6 7 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 12345"); err != nil || !p.gone {
		t.Errorf("%+v, %v: a zombie is gone", p, err)
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add("7 (a) R 1 ) (b) S 5 6 7 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 12345 1 1")
	f.Add(")")
	f.Add("")
	f.Fuzz(func(t *testing.T, s string) {
		p, err := parseStat(7, s)
		if err == nil && (p.pid != 7 || p.start == "") {
			t.Errorf("%+v without an identity", p)
		}
	})
}
