package process_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kedge/internal/process"
)

// TestT18Token: a token opens its own session's folder, is on disk only as a
// hash, and is void when another was issued.
func TestT18Token(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	token, err := process.IssueToken(dir)
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := process.IssueToken(other)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, dir, token string
		want             bool
	}{
		{"its own", dir, token, true},
		{"another session's", dir, foreign, false},
		{"at another session", other, token, false},
		{"none", dir, "", false},
		{"nearly its own", dir, token + "A", false},
		{"a folder without a token", t.TempDir(), token, false},
	} {
		if got := process.TokenOpens(c.dir, c.token); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	b, err := os.ReadFile(filepath.Join(dir, "token.json"))
	if err != nil || strings.Contains(string(b), token) || strings.Contains(string(b), strings.TrimPrefix(token, "kedge-token-")) {
		t.Errorf("on disk: %s (%v)", b, err)
	}
	if fi, err := os.Stat(filepath.Join(dir, "token.json")); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("its mode: %v (%v)", fi.Mode(), err)
	}
	if _, err := process.IssueToken(dir); err != nil || process.TokenOpens(dir, token) {
		t.Errorf("the old token still opens the session (%v)", err)
	}
}

// TestT18BrokenToken: what is not the file of a token opens nothing, also not
// with the token that is as empty as it.
func TestT18BrokenToken(t *testing.T) {
	dir := t.TempDir()
	token, err := process.IssueToken(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "{}", `{"version":1}`, `{"version":1,"sha256":""}`, `{"version":2,"sha256":"x"}`, "null", "\x00"} {
		if err := os.WriteFile(filepath.Join(dir, "token.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if process.TokenOpens(dir, token) || process.TokenOpens(dir, "") {
			t.Errorf("%q opens it", text)
		}
	}
}

func TestEnv(t *testing.T) {
	env := []string{"A=1", process.TokenVariable + "=old", "B=2"}
	if got := process.WithToken(env, "new"); !slices.Equal(got, []string{"A=1", "B=2", process.TokenVariable + "=new"}) {
		t.Errorf("with a token: %q", got)
	}
	if got := process.WithoutToken(env); !slices.Equal(got, []string{"A=1", "B=2"}) {
		t.Errorf("without: %q", got)
	}
}
