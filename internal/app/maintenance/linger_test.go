package maintenance_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"kedge"
	"kedge/internal/app/maintenance"
	"kedge/internal/core/scaffold"
)

func TestLingerFindings(t *testing.T) {
	in := scaffold.UnitInput{System: "linux", User: "ada", Home: t.TempDir(), Binary: "/kedge"}
	says := func(text string, err error) func(string) (string, error) {
		return func(user string) (string, error) {
			if user != "ada" {
				t.Errorf("asked about %q", user)
			}
			return text, err
		}
	}
	if got := maintenance.LingerFindings(in, says("no\n", nil)); len(got) != 0 {
		t.Errorf("without a unit: %+v", got)
	}
	u, err := scaffold.UnitFor(in)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(u.Path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(u.Path, []byte(u.Text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text  string
		err   error
		level kedge.Level
	}{{"yes\n", nil, ""}, {"no\n", nil, kedge.LevelWarning}, {"", nil, kedge.LevelWarning}, {"", errors.New("no loginctl"), kedge.LevelInfo}} {
		got := maintenance.LingerFindings(in, says(c.text, c.err))
		switch {
		case c.level == "" && len(got) != 0, c.level != "" && (len(got) != 1 || got[0].Level != c.level || got[0].Fix == ""):
			t.Errorf("%q, %v: %+v", c.text, c.err, got)
		}
	}
	in.System = "darwin"
	if got := maintenance.LingerFindings(in, says("no\n", nil)); len(got) != 0 {
		t.Errorf("on another system: %+v", got)
	}
}
