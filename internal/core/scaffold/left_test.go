package scaffold_test

import (
	"reflect"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/core/config"
	"kedge/internal/core/scaffold"
)

// TestLeftOutIsAComment: what is left out changes nothing, and becomes a check when its # goes.
func TestLeftOutIsAComment(t *testing.T) {
	in := scaffold.Input{
		Checks: []kedge.Check{{Name: "test", Kind: kedge.CheckTest, Run: "make test"}},
		Left: scaffold.Left{
			Checks: []scaffold.LeftCheck{
				{Check: kedge.Check{Name: "lint", Kind: kedge.CheckBuild, Run: "a \"b\"\n c"}, Why: "red:\nversion = 2\n\x1b[31mno"},
				{Check: kedge.Check{Name: "app-answers", Kind: kedge.CheckTCP, TCP: "127.0.0.1:{port}"}, Why: "red"},
			},
			Services: []kedge.Service{{Name: "app", Run: "go run .", Ready: "tcp://127.0.0.1:{port}"}},
			Setup:    "npm ci", Why: "red after 1s",
		},
	}
	written := text(t, in, scaffold.GateFile)
	g, err := config.ParseGate("gate.toml", []byte(written))
	if err != nil || !reflect.DeepEqual(g.Checks, in.Checks) || len(g.Services) > 0 {
		t.Errorf("%+v, %v\n%s", g, err, written)
	}
	if strings.Contains(written, "\x1b") {
		t.Errorf("an escape sequence stands in the file:\n%s", written)
	}
	_, left, _ := strings.Cut(written, "# kedge init left this check out: red: version = 2")
	left, _, _ = strings.Cut(left, "\n#\n")
	g, err = config.ParseGate("gate.toml", []byte("version = 1\n"+uncommented(left[strings.Index(left, "\n"):])))
	if err != nil || len(g.Checks) < 2 || g.Checks[0].Run != in.Left.Checks[0].Run || g.Checks[1].TCP == "" || len(g.Services) == 0 {
		t.Errorf("switched on: %+v, %v\n%s", g, err, left)
	}
	c, err := config.ParseConfig("config.toml", []byte(text(t, in, scaffold.ConfigFile)), catalog.Kinds())
	if err != nil || c.Worktree.Setup != "" {
		t.Errorf("set-up %q, %v", c.Worktree.Setup, err)
	}
}

func TestConfigHasTheSetup(t *testing.T) {
	for _, setup := range []string{"npm ci", `(cd 'a b' && pip install -e '.[test]') && echo "x"`} {
		c, err := config.ParseConfig("config.toml", []byte(text(t, scaffold.Input{Setup: setup, Agent: "claude"}, scaffold.ConfigFile)), catalog.Kinds())
		if err != nil || c.Worktree.Setup != setup || c.Run.Agent != "claude" {
			t.Errorf("%+v, %v", c.Worktree, err)
		}
	}
}

// TestIgnoreLinesComeAndGo: what was inserted into .gitignore is cut out again, by the
// journal's record of it alone.
func TestIgnoreLinesComeAndGo(t *testing.T) {
	piece := scaffold.IgnorePiece(append(scaffold.OwnLines(), "/build/"))
	for _, old := range append(texts, ".kedge\n", "/*\n!/x\n", ".kedge/\r\n") {
		with, inserted := piece.Insert(old)
		if !strings.HasPrefix(with, old) || inserted == "" {
			t.Errorf("%q became %q", old, with)
		}
		if again, more := piece.Insert(with); again != with || more != "" {
			t.Errorf("a second time %q became %q", with, again)
		}
		back, ok := scaffold.IgnoredBy(inserted)
		if !ok || !back.In(with) {
			t.Fatalf("%q is not known again", inserted)
		}
		if out, ok := back.Cut(with+"mine\n", inserted); !ok || out != old+"mine\n" {
			t.Errorf("%q came back as %q", old, out)
		}
	}
	if _, ok := scaffold.IgnoredBy(""); ok {
		t.Error("nothing was inserted, and something is to be cut")
	}
}
