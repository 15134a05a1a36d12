package git_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/testkit/gittest"
)

// TestT9TextIsNeverAnArgument: what people and agents write (messages, reasons,
// names of people) reaches git by its input or its environment, so that no text
// can be taken for an option. A stand-in for git writes down every argument.
func TestT9TextIsNeverAnArgument(t *testing.T) {
	r := gittest.New(t)
	program, err := exec.LookPath("git")
	r.Must(err)
	bin := t.TempDir()
	log := filepath.Join(bin, "argv")
	script := "#!/bin/sh\nfor a in \"$@\"; do printf '%s\\n' \"$a\" >>'" + log + "'; done\nexec '" + program + "' \"$@\"\n"
	r.Must(os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755))
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))

	const evil = "--settings=evil.json"
	g, err := git.Open(t.Context(), r.Dir, r.Opt)
	r.Must(err)
	tree, err := g.Tree(t.Context())
	r.Must(err)
	who := git.Person{Name: evil + " name", Email: "x@example.com"}
	sha, err := g.Commit(t.Context(), git.CommitRequest{Tree: tree, Message: evil + " message", Date: gittest.Day, Author: who})
	r.Must(err)
	r.Write("new", "text\n")
	salvage := kedge.SalvageID(kedge.NewID("sal", time.Unix(1, 0)))
	_, err = g.Salvage(t.Context(), git.SalvageRequest{ID: salvage, Reason: evil + " reason", Attic: t.TempDir(), Date: gittest.Day})
	r.Must(err)

	b, err := os.ReadFile(log)
	r.Must(err)
	if !strings.Contains(string(b), "commit-tree") {
		t.Fatal("the stand-in was not used")
	}
	if strings.Contains(string(b), evil) {
		t.Errorf("text became an argument:\n%s", b)
	}
	if got := r.Git("log", "-1", "--format=%an|%s", sha); got != evil+" name|"+evil+" message" {
		t.Errorf("the commit says %q", got)
	}
}
