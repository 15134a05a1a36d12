package scaffold_test

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/scaffold"
)

var update = flag.Bool("update", false, "write the golden files")

func TestGolden(t *testing.T) {
	usual := scaffold.UnitInput{User: "ada", Home: "/home/ada", Binary: "/usr/local/bin/kedge"}
	odd := scaffold.UnitInput{User: "ada", Home: "/home/ada", Config: "/home/ada/cfg", Binary: `/opt/a b/100% "$HOME"\kedge`, State: "/srv/a&b/100%/$x"}
	for name, in := range map[string]scaffold.UnitInput{"usual": usual, "odd": odd} {
		for _, system := range []string{"linux", "darwin"} {
			in.System = system
			u, err := scaffold.UnitFor(in)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, name+"-"+system, u.Path+"\n"+strings.Join(u.Run, "\n")+"\n\n"+u.Text)
			if again, _ := scaffold.UnitFor(in); again.Text != u.Text {
				t.Error("not the same twice")
			}
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is\n%s", name, got)
	}
}

// TestStoppingLeavesSessions: the one thing that a unit must not get wrong.
func TestStoppingLeavesSessions(t *testing.T) {
	for system, want := range map[string]string{"linux": "\nKillMode=process\n", "darwin": "<key>AbandonProcessGroup</key>\n\t<true/>"} {
		u, err := scaffold.UnitFor(scaffold.UnitInput{System: system, Home: "/h", Binary: "/k"})
		if err != nil || !strings.Contains(u.Text, want) || !strings.Contains(u.Text, scaffold.UnitMark) {
			t.Errorf("%s: %v\n%s", system, err, u.Text)
		}
	}
}

// TestPlistIsXML: whatever the paths, the text is well-formed.
func TestPlistIsXML(t *testing.T) {
	u, err := scaffold.UnitFor(scaffold.UnitInput{System: "darwin", Home: "/h", Binary: "/a<b>&\"'/kedge", State: "/s\x01]]>"})
	if err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(strings.NewReader(u.Text)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

func TestEveryStateFolderHasItsOwn(t *testing.T) {
	in := scaffold.UnitInput{System: "linux", Home: "/h", Binary: "/k"}
	seen := map[string]bool{}
	for _, state := range []string{"", "/a", "/b"} {
		in.State = state
		u, err := scaffold.UnitFor(in)
		if err != nil || seen[u.Path] {
			t.Errorf("%q: %s, %v", state, u.Path, err)
		}
		seen[u.Path] = true
	}
}

func TestRefused(t *testing.T) {
	for _, in := range []scaffold.UnitInput{
		{System: "linux", Home: "", Binary: "/k"},
		{System: "linux", Home: "/h", Binary: "kedge"},
		{System: "linux", Home: "/h", Binary: "/k", State: "/a\nExecStartPre=/bin/rm"},
		{System: "plan9", Home: "/h", Binary: "/k"},
	} {
		if _, err := scaffold.UnitFor(in); !kedge.Invalid.Is(err) {
			t.Errorf("%+v: %v", in, err)
		}
	}
}
