package gate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"kedge"
	"kedge/internal/core/check"
	"kedge/internal/engine/gate"
	"kedge/internal/git"
)

// TestMain is also the service and the holders of the tests: the test binary,
// started again.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "hold" {
		os.Exit(holder())
	}
	if os.Getenv("GATE_TEST_SERVICE") == "" {
		os.Exit(m.Run())
	}
	err := http.ListenAndServe(net.JoinHostPort("127.0.0.1", os.Getenv("KEDGE_PORT")), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"slot":%q,"pid":%d}`, os.Getenv("KEDGE_SLOT"), os.Getpid())
	}))
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// fakeRepo is a repository whose trees are given one after the other; the last
// one stays.
type fakeRepo struct {
	mu      sync.Mutex
	trees   []string
	changes map[string][]git.Change // by "from..to"
	files   map[string]string       // by "rev:path"
}

func (r *fakeRepo) Tree(context.Context) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	tree := r.trees[0]
	if len(r.trees) > 1 {
		r.trees = r.trees[1:]
	}
	return tree, nil
}

func (r *fakeRepo) Diff(_ context.Context, from, to string) ([]git.Change, error) {
	return r.changes[from+".."+to], nil
}

// Files are plain text, but for those whose content in the tree is given.
func (r *fakeRepo) Files(_ context.Context, from, to string) ([]git.File, error) {
	var out []git.File
	for _, c := range r.changes[from+".."+to] {
		if c.Status == "D" {
			continue
		}
		f := git.File{Path: c.Path, Mode: "100644", Was: "100644", Head: []byte(r.files[to+":"+c.Path])}
		if f.Size = int64(len(f.Head)); c.Status == "A" {
			f.Was = ""
		}
		out = append(out, f)
	}
	return out, nil
}

func (r *fakeRepo) ReadFile(_ context.Context, rev, path string) ([]byte, error) {
	s, ok := r.files[rev+":"+path]
	if !ok {
		return nil, kedge.Errorf(kedge.NotFound, "no file %s:%s", rev, path)
	}
	return []byte(s), nil
}

// changed is a repository in which these paths differ from the base.
func changed(paths ...string) *fakeRepo {
	r := &fakeRepo{trees: []string{"tree"}, changes: map[string][]git.Change{}, files: map[string]string{}}
	for _, p := range paths {
		status, path, ok := strings.Cut(p, " ")
		if !ok {
			status, path = "M", p
		}
		r.changes["base..tree"] = append(r.changes["base..tree"], git.Change{Path: path, Status: status})
		r.files["base:"+path], r.files["tree:"+path] = "x", "x"
	}
	return r
}

func request(t *testing.T, checks ...kedge.Check) gate.Request {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, ".config/go/telemetry/mode"), "off\n") // else go leaves a child behind that writes there
	return gate.Request{
		Dir: t.TempDir(), Checks: checks, Base: "base", LogDir: filepath.Join(dir, "gate", "evd"), LockDir: filepath.Join(dir, "locks"),
		Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir},
	}
}

// token is an argument that no other process has.
func token(t *testing.T) string {
	t.Helper()
	return fmt.Sprintf("90000000.%s%d", strings.Map(onlyDigits, filepath.Base(filepath.Dir(t.TempDir()))), os.Getpid())
}

func onlyDigits(r rune) rune {
	if r < '0' || r > '9' {
		return -1
	}
	return r
}

// running gives the living processes that have the token among their arguments.
func running(t *testing.T, token string) []string {
	t.Helper()
	if _, err := os.Stat("/proc/self/cmdline"); err != nil {
		t.Skip("there is no /proc to look for processes")
	}
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(files, func(f string) bool {
		b, err := os.ReadFile(f)
		return err != nil || !strings.Contains(string(b), token)
	})
}

func TestF13NothingIsLeftOfAGate(t *testing.T) {
	tok := token(t)
	leave := "setsid sh -c 'trap \"\" TERM HUP; sleep " + tok + "; sleep " + tok + "' >/dev/null 2>&1 & "
	q := request(t,
		kedge.Check{Name: "unit", Run: leave + "true"},
		kedge.Check{Name: "build", Run: leave + "sleep " + tok, Timeout: "100ms"},
	)
	q.Own = []kedge.Check{{Name: "api", HTTP: &kedge.HTTPCheck{URL: "http://127.0.0.1:{port}/"}}}
	q.Services = []kedge.Service{{Name: "web", Run: leave + serve(t) + " " + tok}}
	if v := mustRun(t, q); v.Verdict != kedge.BuildFailure {
		t.Errorf("%+v", v)
	}
	q.Names, q.LogDir = []string{"api"}, t.TempDir()
	if v := mustRun(t, q); !v.Green() {
		t.Errorf("%+v, failure %+v", v, v.Checks[2].FirstFailure)
	}
	if left := running(t, tok); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
}

func mustRun(t *testing.T, q gate.Request) kedge.Verdict {
	t.Helper()
	v, err := gate.Run(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestRow11EveryMarker(t *testing.T) {
	for _, kind := range check.KindNames() {
		want := check.Named(kind).Marker
		t.Run(string(want), func(t *testing.T) {
			c := kedge.Check{Name: "it", Kind: kind, Run: "echo main.go:3: error: broken; exit 7"}
			exit := 7
			if kind == kedge.CheckHTTP {
				c.Run, c.HTTP, exit = "", &kedge.HTTPCheck{URL: rudeAddress(t)}, 1
			}
			if kind == kedge.CheckTCP {
				c.Run, c.TCP, exit = "", closedAddress(t), 1
			}
			v := mustRun(t, request(t, c))
			if v.Verdict != want || v.Green() || v.Partial {
				t.Errorf("verdict %+v, want %s", v, want)
			}
			if r := v.Checks[0]; r.Exit != exit || r.FirstFailure == nil || r.FirstFailure.Message == "" {
				t.Errorf("check %+v", r)
			}
			if v.Checks[0].Log == "" || read(t, v.Checks[0].Log) == "" {
				t.Error("no log is kept")
			}
		})
	}
	if v := mustRun(t, request(t, kedge.Check{Name: "it", Run: "true"})); v.Verdict != kedge.ValidationOK || !v.Green() {
		t.Errorf("green: %+v", v)
	}
}

// rudeAddress is one that hangs up on everyone.
func rudeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_ = c.Close()
		}
	}()
	return "http://" + l.Addr().String() + "/"
}

func TestOrderAndStopAtTheFirstRed(t *testing.T) {
	q := request(t,
		kedge.Check{Name: "web", Kind: "e2e", Run: "true"},
		kedge.Check{Name: "compile", Kind: "build", Run: "exit 2"},
		kedge.Check{Name: "flow", Kind: "integration", Run: "true"},
		kedge.Check{Name: "unit", Run: "true"},
	)
	q.Own = []kedge.Check{{Name: "unit", Run: "true"}}
	var told []string
	q.Progress = func(s gate.Step) { told = append(told, string(s.State)+" "+s.Check.Name) }
	v := mustRun(t, q)
	if v.Verdict != kedge.BuildFailure || !v.Partial {
		t.Errorf("verdict %+v", v)
	}
	var names []string
	for _, c := range v.Checks {
		names = append(names, c.Name)
	}
	if want := []string{"unit", "unit", "flow", "compile", "web"}; !reflect.DeepEqual(names, want) {
		t.Errorf("order %v, want %v", names, want)
	}
	if last := v.Checks[4]; last.Skipped != "did not run, because compile is red" || last.Exit != -1 {
		t.Errorf("after the red one: %+v", last)
	}
	want := []string{
		"started unit", "finished unit", "started unit", "finished unit", "started flow", "finished flow",
		"started compile", "finished compile", "skipped web",
	}
	if !reflect.DeepEqual(told, want) {
		t.Errorf("progress %v, want %v", told, want)
	}
}

func TestNoCheckAtAll(t *testing.T) {
	if _, err := gate.Run(t.Context(), request(t)); !kedge.Invalid.Is(err) || kedge.HintOf(err) == "" {
		t.Errorf("error %v", err)
	}
	q := request(t)
	q.Own = []kedge.Check{{Name: "unit", Run: "true"}}
	if v := mustRun(t, q); !v.Green() {
		t.Errorf("a feature's own check suffices: %+v", v)
	}
}

func TestNames(t *testing.T) {
	q := request(t, kedge.Check{Name: "unit", Run: "true"}, kedge.Check{Name: "lint", Run: "true", Paths: []string{"*.go"}})
	q.Repo, q.Names = changed("README.md"), []string{"lint"}
	v := mustRun(t, q)
	if !v.Partial || v.Checks[0].Skipped != "not asked for" || v.Checks[1].Skipped != "" {
		t.Errorf("%+v: a named check runs even if none of its files changed", v)
	}
	q.Names = []string{"lnit"}
	if _, err := gate.Run(t.Context(), q); !kedge.Invalid.Is(err) || !strings.Contains(kedge.HintOf(err), "unit, lint") {
		t.Errorf("error %v, hint %q", err, kedge.HintOf(err))
	}
}

func TestPathsMakeAPartialVerdict(t *testing.T) {
	checks := []kedge.Check{
		{Name: "go", Run: "true", Paths: []string{"**/*.go"}},
		{Name: "js", Run: "true", Paths: []string{"web/**"}},
	}
	q := request(t, checks...)
	q.Repo = changed("a/b.go", "c.go")
	v := mustRun(t, q)
	if !v.Green() || !v.Partial || v.Checks[1].Skipped != "none of its files changed" {
		t.Errorf("%+v", v)
	}
	if got := v.Checks[0].Selected; !reflect.DeepEqual(got, []string{"a/b.go", "c.go"}) {
		t.Errorf("selected %v", got)
	}
	q.LogDir, q.Scope = t.TempDir(), gate.Full
	if v := mustRun(t, q); v.Partial || v.Checks[1].Skipped != "" {
		t.Errorf("a full gate skips nothing: %+v", v)
	}
	q.Repo, q.Scope = changed("README.md"), gate.Changed
	if v := mustRun(t, q); !v.Partial || len(v.Findings) != 1 || v.Findings[0].Level != kedge.LevelWarning {
		t.Errorf("nothing ran, and that is said: %+v", v)
	}
	q.Repo = nil
	if v := mustRun(t, q); v.Partial || v.Tree != "" {
		t.Errorf("in a plain folder everything runs: %+v", v)
	}
}

func TestTreeThatChangesVoidsTheGate(t *testing.T) {
	q := request(t, kedge.Check{Name: "unit", Run: "true", Evidence: []string{"shots/**"}})
	r := changed()
	r.trees = []string{"tree", "after"}
	r.changes["tree..after"] = []git.Change{{Path: "cover.out", Status: "A"}}
	q.Repo = r
	_, err := gate.Run(t.Context(), q)
	if !kedge.Conflict.Is(err) || !strings.Contains(err.Error(), "cover.out") || !strings.Contains(kedge.HintOf(err), ".gitignore") {
		t.Errorf("error %v, hint %q", err, kedge.HintOf(err))
	}
	r.trees = []string{"tree", "after"}
	r.changes["tree..after"] = []git.Change{{Path: "shots/a.png", Status: "A"}, {Path: ".kedge/progress.md", Status: "M"}}
	if v := mustRun(t, q); v.Tree != "tree" {
		t.Errorf("evidence and projections may change: %+v", v)
	}
}

func TestTimeoutIsRed(t *testing.T) {
	q := request(t, kedge.Check{Name: "unit", Run: "echo begun; sleep 1000", Timeout: "100ms"})
	v := mustRun(t, q)
	r := v.Checks[0]
	if v.Verdict != kedge.TestFailure || r.Exit != -1 || r.FirstFailure == nil || !strings.HasPrefix(r.FirstFailure.Message, "timed out after 100ms") {
		t.Errorf("%+v, failure %+v", v, r.FirstFailure)
	}
}

func TestCancelledGate(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	q := request(t, kedge.Check{Name: "unit", Run: "sleep 1000"})
	q.Progress = func(gate.Step) { cancel() }
	if _, err := gate.Run(ctx, q); !kedge.Interrupted.Is(err) {
		t.Errorf("error %v", err)
	}
}

func TestFirstFailureOnly(t *testing.T) {
	q := request(t, kedge.Check{Name: "unit", Run: `printf -- '--- FAIL: TestA (0.00s)\n    a_test.go:7: got 1\n--- FAIL: TestB (0.00s)\n    b_test.go:9: got 2\nFAIL\n'; exit 1`})
	f := mustRun(t, q).Checks[0].FirstFailure
	if f == nil || f.Test != "TestA" || f.File != "a_test.go" || f.Line != 7 || strings.Contains(f.Message, "got 2") {
		t.Errorf("failure %+v", f)
	}
}

func TestHugeOutputIsBounded(t *testing.T) {
	q := request(t, kedge.Check{Name: "unit", Run: "head -c 80000000 /dev/zero | tr '\\0' 'x'; echo; echo main.go:1: error: at the end; exit 1"})
	v := mustRun(t, q)
	info, err := os.Stat(v.Checks[0].Log)
	if err != nil || info.Size() > 65<<20 {
		t.Errorf("log %v, %v", info, err)
	}
	if f := v.Checks[0].FirstFailure; f == nil || f.File != "main.go" {
		t.Errorf("failure %+v", f)
	}
}

func TestNoTestRan(t *testing.T) {
	empty := kedge.Check{Name: "unit", Run: "echo '?   \texample.com/a\t[no test files]'"}
	v := mustRun(t, request(t, empty))
	if !v.Green() || len(v.Findings) != 1 || v.Findings[0].What != "no test ran" || v.Findings[0].Level != kedge.LevelWarning {
		t.Errorf("a project without tests: %+v", v)
	}
	q := request(t, kedge.Check{Name: "unit", Run: "./pytest -q"})
	write(t, filepath.Join(q.Dir, "pytest"), "#!/bin/sh\necho 'no tests ran in 0.01s'\nexit 5\n")
	if err := os.Chmod(filepath.Join(q.Dir, "pytest"), 0o755); err != nil {
		t.Fatal(err)
	}
	if v := mustRun(t, q); !v.Green() || len(v.Findings) != 1 {
		t.Errorf("a runner that fails without tests: %+v", v)
	}
	words := kedge.Check{Name: "unit", Run: "echo 'no tests ran in 0.01s'; echo the database is gone; exit 5"}
	if v := mustRun(t, request(t, words)); v.Verdict != kedge.TestFailure {
		t.Errorf("another failure with these words: %+v", v)
	}
	q = request(t)
	q.Own = []kedge.Check{empty}
	if v := mustRun(t, q); v.Verdict != kedge.TestFailure || v.Checks[0].FirstFailure == nil {
		t.Errorf("a feature's own check: %+v", v)
	}
	broken := kedge.Check{Name: "unit", Run: `printf '?   \tm/a\t[no test files]\n# m/b\nb/b.go:3:5: undefined: x\nFAIL\tm/b [build failed]\nFAIL\n'; exit 1`}
	if v := mustRun(t, request(t, broken)); v.Verdict != kedge.TestFailure {
		t.Errorf("a build failure beside packages without tests: %+v", v)
	}
}

func TestEvidenceIsKept(t *testing.T) {
	q := request(t, kedge.Check{Name: "e2e", Run: "mkdir -p shots && echo new > shots/new.png && ln -s /etc/passwd shots/link.png", Evidence: []string{"shots/**"}})
	write(t, filepath.Join(q.Dir, "shots", "old.png"), "old")
	r := mustRun(t, q).Checks[0]
	want := []string{filepath.Join(q.LogDir, "01-e2e", "shots", "new.png")}
	if !reflect.DeepEqual(r.Evidence, want) || read(t, want[0]) != "new\n" {
		t.Errorf("evidence %v, want %v: neither old files nor links", r.Evidence, want)
	}
}

func TestChecksGetSlotAndEnvironment(t *testing.T) {
	q := request(t, kedge.Check{Name: "unit", Run: `test "$KEDGE_SLOT" = 3 && test -n "$HOME" && test -z "$KEDGE_PORT"`})
	q.Slot, q.Env = "3", append(q.Env, "KEDGE_SLOT=9")
	if v := mustRun(t, q); !v.Green() {
		t.Errorf("%+v", v.Checks[0])
	}
}

// TestExclusiveNames runs gates side by side; a check that meets another inside
// the same name fails.
func TestExclusiveNames(t *testing.T) {
	shared := t.TempDir()
	line := "mkdir " + shared + "/inside || exit 9; ls / >/dev/null; rmdir " + shared + "/inside"
	var wg sync.WaitGroup
	verdicts, errs := make([]kedge.Verdict, 6), make([]error, 6)
	for i := range verdicts {
		q := request(t, kedge.Check{Name: "db", Run: line, Exclusive: "db"}, kedge.Check{Name: "db2", Run: line, Exclusive: "db"})
		q.LockDir = filepath.Join(shared, "locks")
		wg.Go(func() { verdicts[i], errs[i] = gate.Run(t.Context(), q) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	for _, v := range verdicts {
		if !v.Green() {
			t.Errorf("two checks met: %+v", v.Checks)
		}
	}
}

// TestVerdictJSON: the names that scripts rely on.
func TestVerdictJSON(t *testing.T) {
	q := request(t, kedge.Check{Name: "unit", Run: "false"})
	q.Repo = changed()
	b, err := json.Marshal(mustRun(t, q))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"verdict", "partial", "flaky", "tree", "checks", "findings"} {
		if _, ok := got[key]; !ok {
			t.Errorf("no %q in %s", key, b)
		}
	}
	check := got["checks"].([]any)[0].(map[string]any)
	for _, key := range []string{"name", "kind", "command", "selected", "skipped", "exit", "ms", "log", "first_failure"} {
		if _, ok := check[key]; !ok {
			t.Errorf("no %q in a check: %s", key, b)
		}
	}
	if check["selected"] == nil || got["findings"] == nil {
		t.Errorf("a list is null: %s", b)
	}
}
