package app_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/app"
	"kedge/internal/app/projects"
	"kedge/internal/app/setup"
	"kedge/internal/core/config"
	"kedge/internal/journal"
)

// ground is a folder before it is a project.
type ground struct {
	t    *testing.T
	dir  string
	home string
	s    *app.Service
}

var initDay = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

// newGround makes a repository called shop with one commit, or a plain folder.
func newGround(t *testing.T, git bool) *ground {
	t.Helper()
	g := &ground{t: t, dir: filepath.Join(t.TempDir(), "shop"), home: t.TempDir()}
	quietEnvironment(t)
	g.put("go.mod", "module shop\n")
	if git {
		g.git("init", "-q", "-b", "main")
		g.git("config", "user.name", "Ada")
		g.git("config", "user.email", "ada@example.com")
		g.git("add", ".")
		g.git("commit", "-q", "-m", "first")
	}
	g.open()
	return g
}

func (g *ground) open() {
	s := app.New(app.Config{Home: g.home, Now: func() time.Time { return initDay }})
	g.s = s
	g.t.Cleanup(func() {
		if err := s.Close(); err != nil {
			g.t.Error(err)
		}
	})
}

func (g *ground) git(args ...string) string {
	g.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = g.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		g.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (g *ground) put(name, text string) {
	g.t.Helper()
	path := filepath.Join(g.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		g.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		g.t.Fatal(err)
	}
}

// files gives the content of all files outside .git, by path.
func (g *ground) files() map[string]string {
	g.t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(g.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == ".git" {
				return fs.SkipDir
			}
			return nil
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(g.dir, path)
		out[rel] = string(b)
		return err
	})
	if err != nil {
		g.t.Fatal(err)
	}
	return out
}

func (g *ground) caller(key string) projects.Caller {
	return projects.Caller{Dir: g.dir, Actor: kedge.Human("ada"), Key: key}
}

func (g *ground) init(key string) setup.InitReply {
	g.t.Helper()
	r, err := g.s.Init(g.t.Context(), g.caller(key), setup.InitRequest{})
	if err != nil {
		g.t.Fatal(err)
	}
	return r
}

func (g *ground) remove(key string) setup.InitRemoveReply {
	g.t.Helper()
	r, err := g.s.InitRemove(g.t.Context(), g.caller(key), setup.InitRemoveRequest{})
	if err != nil {
		g.t.Fatal(err)
	}
	return r
}

// events gives the types of all events in the journal of the project.
func (g *ground) events(id kedge.ProjectID) []kedge.EventType {
	g.t.Helper()
	if err := g.s.Close(); err != nil {
		g.t.Fatal(err)
	}
	st, err := journal.Open(filepath.Join(g.home, "projects", string(id)), journal.Options{ReadOnly: true})
	if err != nil {
		g.t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	evs, err := st.Events(g.t.Context(), 0)
	if err != nil {
		g.t.Fatal(err)
	}
	var types []kedge.EventType
	for _, ev := range evs {
		types = append(types, ev.Type)
	}
	return types
}

func TestRow84InitIsOneCommitAndTheJournalKnows(t *testing.T) {
	g := newGround(t, true)
	r := g.init("req-1")
	if len(r.Written) != 10 || r.Commit == nil || *r.Commit != g.git("rev-parse", "HEAD") || len(r.Checks) != 2 {
		t.Errorf("reply %+v", r)
	}
	if r.Project.Name != "shop" || !r.Project.Git || !r.Project.CreatedAt.Equal(initDay) {
		t.Errorf("project %+v", r.Project)
	}
	before := g.files()
	if again := g.init("req-2"); len(again.Written) != 0 || again.Commit != nil || again.Project != r.Project {
		t.Errorf("a second time %+v", again)
	}
	if !reflect.DeepEqual(g.files(), before) || g.git("rev-list", "--count", "HEAD") != "2" || g.git("status", "--porcelain") != "" {
		t.Error("a second time changed something")
	}
	want := []kedge.EventType{kedge.ProjectCreated, kedge.InitFinished, kedge.FilesSeen}
	if got := g.events(r.Project.ID); !reflect.DeepEqual(got, want) {
		t.Errorf("events %v, want %v", got, want)
	}
}

func TestF27InitRetriedHasOneEffectAndOneAnswer(t *testing.T) {
	g := newGround(t, true)
	first := g.init("req-1")
	retried := g.init("req-1")
	if !reflect.DeepEqual(first, retried) {
		t.Errorf("first %+v\nretried %+v", first, retried)
	}
	gone := g.remove("req-2")
	if again := g.remove("req-2"); !reflect.DeepEqual(gone, again) || len(gone.Removed) != 10 {
		t.Errorf("first %+v\nretried %+v", gone, again)
	}
	if n := g.git("rev-list", "--count", "HEAD"); n != "3" {
		t.Errorf("%s commits", n)
	}
}

// A crash may leave files that are written and not committed.
func TestInitFinishesWhatACrashLeft(t *testing.T) {
	whole := newGround(t, true)
	whole.init("req-1")
	g := newGround(t, true)
	for name, text := range whole.files() {
		g.put(name, text)
	}
	r := g.init("req-1")
	if len(r.Written) != 0 || r.Commit == nil {
		t.Errorf("reply %+v", r)
	}
	if dirty := g.git("status", "--porcelain"); dirty != "" {
		t.Errorf("not committed: %s", dirty)
	}
}

func TestInitUndoesWhatCannotBeCommitted(t *testing.T) {
	g := newGround(t, true)
	g.put(".gitattributes", "*.md filter=secret\n")
	g.git("add", ".")
	g.git("commit", "-q", "-m", "filter")
	g.git("config", "filter.secret.clean", "cat")
	before := g.files()
	_, err := g.s.Init(t.Context(), g.caller("req-1"), setup.InitRequest{})
	if !kedge.Blocked.Is(err) || kedge.HintOf(err) == "" {
		t.Errorf("got %v", err)
	}
	if !reflect.DeepEqual(g.files(), before) || g.git("status", "--porcelain") != "" {
		t.Errorf("left behind: %v", g.git("status", "--porcelain"))
	}
}

func TestInitPlanWritesNothing(t *testing.T) {
	for _, git := range []bool{true, false} {
		g := newGround(t, git)
		before := g.files()
		r, err := g.s.InitPlan(t.Context(), g.caller(""), setup.InitRequest{Agent: "claude"})
		if err != nil || len(r.Written) < 8 || len(r.Checks) != 2 || r.Commit != nil {
			t.Errorf("git %v: %+v, %v", git, r, err)
		}
		if !reflect.DeepEqual(g.files(), before) {
			t.Errorf("git %v: it wrote something", git)
		}
		if entries, err := os.ReadDir(g.home); err != nil || len(entries) > 0 {
			t.Errorf("git %v: it made %v, %v", git, entries, err)
		}
	}
}

func TestInitAndRemoveGiveBackEveryByte(t *testing.T) {
	for name, text := range map[string]string{
		"crlf": "# Ours\r\n\r\nline\r\n", "no newline at the end": "ours", "blank lines": "ours\n\n\n", "empty": "", "not text": "\xff\x00ours\n",
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t, true)
			for _, file := range []string{"AGENTS.md", "CLAUDE.md", ".gitattributes"} {
				g.put(file, text)
			}
			g.put(".gitattributes", strings.ReplaceAll(text, "\x00", "")) // git reads this one
			g.git("add", ".")
			g.git("commit", "-q", "-m", "ours")
			before, tree := g.files(), g.git("rev-parse", "HEAD^{tree}")
			if r := g.init("req-1"); len(r.Written) != 10 || r.Commit == nil {
				t.Errorf("init %+v", r)
			}
			if r := g.remove("req-2"); len(r.Removed) != 7 || len(r.Cut) != 3 || len(r.Kept) != 0 || r.Commit == nil {
				t.Errorf("remove %+v", r)
			}
			if got := g.files(); !reflect.DeepEqual(got, before) {
				t.Errorf("got %q\nwant %q", got, before)
			}
			if got := g.git("rev-parse", "HEAD^{tree}"); got != tree {
				t.Errorf("the tree is %s, was %s", got, tree)
			}
		})
	}
}

func TestInitKeepsModes(t *testing.T) {
	g := newGround(t, true)
	g.put("CLAUDE.md", "ours\n")
	if err := os.Chmod(filepath.Join(g.dir, "CLAUDE.md"), 0o640); err != nil {
		t.Fatal(err)
	}
	g.git("add", ".")
	g.git("commit", "-q", "-m", "ours")
	g.init("req-1")
	for name, want := range map[string]os.FileMode{"CLAUDE.md": 0o640, "AGENTS.md": 0o644, ".kedge/validate": 0o755} {
		if info, err := os.Stat(filepath.Join(g.dir, name)); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v; want %v", name, info.Mode(), err, want)
		}
	}
	if got := g.git("ls-files", "-s", ".kedge/validate"); !strings.HasPrefix(got, "100755 ") {
		t.Errorf("committed as %s", got)
	}
}

func TestInitWithoutItsJournalKeepsTheID(t *testing.T) {
	g := newGround(t, false)
	first := g.init("req-1")
	g.home = t.TempDir()
	g.open()
	again := g.init("req-1")
	if again.Project.ID != first.Project.ID || again.Project.Name != "shop" || len(again.Written) != 0 {
		t.Errorf("first %+v, again %+v", first, again)
	}
}

func TestInitRacesEndWithOneProject(t *testing.T) {
	for _, git := range []bool{true, false} {
		g := newGround(t, git)
		ids, commits := make([]kedge.ProjectID, 6), make([]*string, 6)
		var wg sync.WaitGroup
		for i := range ids {
			wg.Go(func() {
				r, err := g.s.Init(t.Context(), g.caller(kedge.NewID("req", initDay)), setup.InitRequest{})
				if err != nil {
					t.Error(err)
				}
				ids[i], commits[i] = r.Project.ID, r.Commit
			})
		}
		wg.Wait()
		made := 0
		for i := range ids {
			if ids[i] != ids[0] || ids[i] == "" {
				t.Errorf("git %v: ids %v", git, ids)
			}
			if commits[i] != nil {
				made++
			}
		}
		if git && (made != 1 || g.git("rev-list", "--count", "HEAD") != "2") {
			t.Errorf("%d commits were made", made)
		}
	}
}

func TestInitInAWorktreeIsTheSameProject(t *testing.T) {
	g := newGround(t, true)
	first := g.init("req-1")
	work := filepath.Join(t.TempDir(), "work")
	g.git("worktree", "add", "-q", "-b", "side", work)
	who := g.caller("req-2")
	who.Dir = work
	r, err := g.s.Init(t.Context(), who, setup.InitRequest{})
	if err != nil || r.Project.ID != first.Project.ID || len(r.Written) != 0 || r.Project.Dir != work {
		t.Errorf("got %+v, %v", r, err)
	}
}

// TestInitSaysWhichAgentARunCannotDrive: at once, and not hours later when the
// first run is refused.
func TestInitSaysWhichAgentARunCannotDrive(t *testing.T) {
	g := newGround(t, true)
	for _, name := range append(config.Default(catalog.Kinds()).AgentNames(), "gemini", "aider") {
		a, err := config.Default(catalog.Kinds()).Agent(name)
		if err != nil {
			t.Fatal(err)
		}
		_, undriven := catalog.New(name, a)
		r, err := g.s.InitPlan(t.Context(), g.caller("plan-"+name), setup.InitRequest{Agent: name})
		if err != nil {
			t.Fatal(err)
		}
		notes := strings.Join(r.Notes, "\n")
		want := undriven != nil
		if got := strings.Contains(notes, "a run cannot use agent \""+name+"\""); got != want {
			t.Errorf("%s: refused by a run %v, and init says %q", name, want, notes)
		}
		if want && !strings.Contains(notes, kedge.HintOf(undriven)) {
			t.Errorf("%s: init does not say what to do: %q", name, notes)
		}
	}
}
