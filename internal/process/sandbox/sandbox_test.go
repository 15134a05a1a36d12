package sandbox_test

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/config"
	"kedge/internal/process/sandbox"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestMain is also the program that sets limits, and one that says whether it gets
// through to an address.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "dial" {
		said := "reached"
		if _, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", os.Args[2]); err != nil {
			said = "unreachable"
		}
		fmt.Println(said)
		os.Exit(0)
	}
	if len(os.Args) > 1 && os.Args[1] == "limit" {
		fmt.Fprintln(os.Stderr, sandbox.Limit(os.Args[2:]))
		os.Exit(126)
	}
	os.Exit(m.Run())
}

// example is a box with something of everything.
func example(kind sandbox.Kind, tool string) sandbox.Box {
	return sandbox.Box{
		Kind: kind, Tool: tool, Limiter: []string{"/opt/kedge", "limit"}, Dir: "/work/tree", Offline: true, Temp: []string{"/tmp", "/var/tmp/ada"},
		Write:  []string{"/home/ada/.cache", "/repo/.git/worktrees/tree", "/repo/.git/objects"},
		Guard:  []string{"/repo/.git/worktrees/tree/config"},
		Hold:   []sandbox.Held{{Path: "/repo/.git/worktrees/tree/hooks", Folder: true}, {Path: "/repo/.git/worktrees/tree/config.worktree"}},
		Show:   []string{"/home/ada", "/tmp", "/tmp/kedge", "/usr/bin"},
		Limits: sandbox.Limits{Memory: 1 << 30, FileSize: 1 << 20, Processes: 100},
	}
}

func TestPrefixGolden(t *testing.T) {
	for name, b := range map[string]sandbox.Box{
		"bwrap":    example(sandbox.Bwrap, "/usr/bin/bwrap"),
		"seatbelt": example(sandbox.Seatbelt, "/usr/bin/sandbox-exec"),
		"limits":   {Limiter: []string{"/opt/kedge", "limit"}, Limits: sandbox.Limits{FileSize: 7}},
	} {
		golden := filepath.Join("testdata", name+".golden")
		got := strings.Join(b.Prefix(), "\n") + "\n"
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil || string(want) != got {
			t.Errorf("%s (%v):\n%s", golden, err, got)
		}
	}
	if got := (sandbox.Box{}).Prefix(); len(got) != 0 {
		t.Errorf("the zero box: %q", got)
	}
	if on := example(sandbox.Bwrap, "bwrap").Online().Prefix(); slices.Contains(on, "--unshare-net") {
		t.Errorf("online: %q", on)
	}
}

// tools makes a PATH with nothing on it but what is named.
func tools(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, n := range names {
		if err := os.WriteFile(filepath.Join(dir, n), []byte("#!/bin/sh\nexit 0\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	return dir
}

func usual(kind string) config.Sandbox {
	c := config.Default(config.Kinds{}).Sandbox
	c.Kind = kind
	return c
}

// What is asked for is in force, or there is an error that says what to do; less
// only where people said so.
func TestMissingTool(t *testing.T) {
	tools(t)
	for _, kind := range []string{"bwrap", "seatbelt"} {
		_, err := sandbox.New(usual(kind), sandbox.Place{Dir: "/w"})
		if !kedge.Blocked.Is(err) || !strings.Contains(kedge.HintOf(err), `missing = "run"`) {
			t.Errorf("%s: %v", kind, err)
		}
		c := usual(kind)
		c.Missing, c.FileMB = "run", 3
		b, err := sandbox.New(c, sandbox.Place{Dir: "/w", Kedge: "/k"})
		if err != nil || b.Kind != sandbox.None || !slices.Equal(b.Prefix(), []string{"/k", "limit", "file=3145728", "--"}) {
			t.Errorf("%s, do without: %+v %v", kind, b, err)
		}
	}
	if b, err := sandbox.New(usual("none"), sandbox.Place{Dir: "/w"}); err != nil || len(b.Prefix()) != 0 {
		t.Errorf("none: %+v %v", b, err)
	}
}

// The worktree, its git dir and what is named are writable; settings and hooks of
// git are not.
func TestFurnished(t *testing.T) {
	bin := tools(t, "bwrap")
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(p ...string) string { return filepath.Join(append([]string{root}, p...)...) }
	for _, dir := range []string{"w", "repo/.git/worktrees/w", "home/.cache", "state"} {
		if err := os.MkdirAll(at(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c := usual("bwrap")
	c.Write, c.Network = []string{"~/.cache", "/srv/cache"}, false
	b, err := sandbox.New(c, sandbox.Place{
		Dir: at("w"), GitDir: at("repo/.git/worktrees/w"), Common: at("repo/.git"), Home: at("state"), Sockets: at("state"),
		Env: []string{"HOME=" + at("home"), "PATH=" + bin}, Write: []string{"~/.agent"}, Kedge: "/opt/kedge",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		at("home/.agent"), at("home/.cache"), "/srv/cache", at("state/exec"), at("repo/.git/worktrees/w"),
		at("repo/.git/objects"), at("repo/.git/refs"), at("repo/.git/logs"),
	}
	if !slices.Equal(b.Write, want) {
		t.Errorf("writable: %q", b.Write)
	}
	private := func(name string) string { return at("repo/.git/worktrees/w", name) }
	if want := []string{private("config"), private("commondir"), private("gitdir")}; !slices.Equal(b.Guard, want) {
		t.Errorf("guarded: %q", b.Guard)
	}
	if want := []sandbox.Held{{Path: private("hooks"), Folder: true}, {Path: private("config.worktree")}}; !slices.Equal(b.Hold, want) {
		t.Errorf("held: %+v", b.Hold)
	}
	if b.Dir != at("w") || !b.Offline || b.Tool != filepath.Join(bin, "bwrap") || !slices.Contains(b.Show, at("state")) {
		t.Errorf("%+v", b)
	}
}

// TestT6GitDirIsTheRepositorysWord: which git dir a worktree has, the repository
// says; what an agent writes into the worktree changes nothing.
func TestT6GitDirIsTheRepositorysWord(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	common, tree, private := filepath.Join(root, "repo", ".git"), filepath.Join(root, "tree"), filepath.Join(root, "repo", ".git", "worktrees", "tree")
	for _, dir := range []string{tree, private} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for file, text := range map[string]string{
		filepath.Join(private, "gitdir"): filepath.Join(tree, ".git") + "\n",
		filepath.Join(tree, ".git"):      "gitdir: /etc\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got := sandbox.GitDir(common, tree); got != private {
		t.Errorf("of the worktree: %q", got)
	}
	if got := sandbox.GitDir(common, filepath.Join(root, "repo")); got != common {
		t.Errorf("of the main one: %q", got)
	}
	if got := sandbox.GitDir(common, root); got != "" {
		t.Errorf("of none: %q", got)
	}
}

// TestUnmade: a box that could not be made is told from a command that failed in it.
func TestUnmade(t *testing.T) {
	tool := func(name string) string {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	fails, works := tool("false"), tool("true")
	bwrap, seatbelt := example(sandbox.Bwrap, fails), example(sandbox.Seatbelt, fails)
	limits := sandbox.Box{Limiter: []string{fails}, Limits: sandbox.Limits{FileSize: 7}}
	for _, c := range []struct {
		name   string
		box    sandbox.Box
		exit   int
		said   string
		unmade bool
	}{
		{"no namespaces", bwrap, 1, "bwrap: No permissions to create new namespace, likely because the kernel does not allow non-privileged user namespaces.\n", true},
		{"two lines", bwrap, 1, "bwrap: setting up uid map: Permission denied\nbwrap: and more\n", true},
		{"macOS", seatbelt, 71, "sandbox-exec: sandbox_apply: Operation not permitted\n", true},
		{"a limit that cannot be set", limits, 126, "kedge limit: set a limit: operation not permitted\n", true},
		{"where a box can be made, it is the command that says so", example(sandbox.Bwrap, works), 1, "bwrap: No permissions\n", false},
		{"the same on macOS", example(sandbox.Seatbelt, works), 71, "sandbox-exec: sandbox_apply: Operation not permitted\n", false},
		{"the same of a limit", sandbox.Box{Limiter: []string{works}, Limits: sandbox.Limits{FileSize: 7}}, 126, "kedge limit: x\n", false},
		{"a command that fails", bwrap, 1, "--- FAIL: TestX\n", false},
		{"a command that says it, too", bwrap, 1, "=== RUN TestBwrap\nbwrap: No permissions\n", false},
		{"a command that says nothing", bwrap, 1, "", false},
		{"a command that succeeds", bwrap, 0, "bwrap: hello\n", false},
		{"no box", sandbox.Box{}, 1, "bwrap: No permissions\n", false},
		{"no box, and the code of a limit", sandbox.Box{}, 126, "kedge limit: x\n", false},
	} {
		err := c.box.Unmade(t.Context(), c.exit, c.said)
		if kedge.Blocked.Is(err) != c.unmade || c.unmade && kedge.HintOf(err) == "" {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestSays(t *testing.T) {
	for want, b := range map[string]sandbox.Box{
		"confined by bwrap":            example(sandbox.Bwrap, "bwrap"),
		"no network":                   example(sandbox.Bwrap, "bwrap"),
		"with the network":             example(sandbox.Seatbelt, "x").Online(),
		"not confined; file at most 7": {Limits: sandbox.Limits{FileSize: 7}},
		"processes at most 100":        example(sandbox.Bwrap, "bwrap"),
	} {
		if got := b.Says(); !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
}
