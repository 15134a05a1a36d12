package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kedge"
	"kedge/internal/app"
	"kedge/internal/app/sessions"
	"kedge/internal/process/hold"
	"kedge/internal/server"
)

var update = flag.Bool("update", false, "write the golden files anew")

// patience only guards against hanging.
const patience = 3 * time.Minute

// TestMain is also the holder of the sessions and checks of the tests.
func TestMain(m *testing.M) {
	if len(os.Args) != 2 || os.Args[1] != "hold" {
		os.Exit(m.Run())
	}
	if err := hold.Main(context.Background(), os.Stdin, os.Stdout); err != nil {
		_, _ = os.Stderr.Write(hold.Complain(err))
		os.Exit(1)
	}
	os.Exit(0)
}

// story is a repository with a service that runs programs, whose answers are
// compared with the files that hold their shape.
type story struct {
	t     *testing.T
	dir   string
	home  string
	ahead atomic.Int64 // milliseconds: what is measured of processes is in the machine's own time
	s     *app.Service
	told  map[string]bool // calls whose answer has a golden
	files map[string]bool // the goldens

	session kedge.SessionID // whose agent calls; empty: a person does
}

func newStory(t *testing.T) *story {
	t.Helper()
	return newStoryOf(t, func(*app.Config) {})
}

// newStoryOf is newStory with a service that set has changed.
func newStoryOf(t *testing.T, set func(*app.Config)) *story {
	t.Helper()
	st := &story{t: t, dir: filepath.Join(t.TempDir(), "shop"), home: filepath.Join(t.TempDir(), "state"), told: map[string]bool{}, files: map[string]bool{}}
	st.quiet()
	for _, dir := range []string{st.dir, st.home} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	st.git("init", "-q", "-b", "main")
	st.git("config", "user.name", "Ada")
	st.git("config", "user.email", "ada@example.com")
	st.put("a.txt", "one\n")
	st.git("add", ".")
	st.git("commit", "-q", "-m", "first")
	st.open(set)
	return st
}

// quiet takes the settings of whoever runs the test out of the way.
func (st *story) quiet() {
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "XDG_") || strings.HasPrefix(name, "KEDGE_") {
			st.t.Setenv(name, "") // so that it comes back
			if err := os.Unsetenv(name); err != nil {
				st.t.Fatal(err)
			}
		}
	}
	home := st.t.TempDir()
	st.t.Setenv("HOME", home)
	st.t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	settings := filepath.Join(home, ".config", "kedge", "config.toml") // an agent, whichever are installed here
	if err := os.MkdirAll(filepath.Dir(settings), 0o700); err != nil {
		st.t.Fatal(err)
	}
	if err := os.WriteFile(settings, []byte("version = 1\n[run]\nagent = 'claude'\n"), 0o600); err != nil {
		st.t.Fatal(err)
	}
}

func (st *story) open(set func(*app.Config)) {
	st.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		st.t.Fatal(err)
	}
	sockets, err := os.MkdirTemp("/tmp", "ks") // a socket's path must be short
	if err != nil {
		st.t.Fatal(err)
	}
	cfg := app.Config{
		Home: st.home, Now: st.now,
		Sessions: sessions.Sessions{Holder: hold.NewLauncher(exe, "hold"), Sockets: sockets},
	}
	set(&cfg)
	st.s = app.New(cfg)
	st.t.Cleanup(func() {
		if err := st.s.Close(); err != nil {
			st.t.Error(err)
		}
		st.endSessions()
		_ = os.RemoveAll(sockets)
	})
}

// endSessions leaves no process behind, whatever failed.
func (st *story) endSessions() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	found, err := hold.Find(ctx, filepath.Join(st.home, "sessions"))
	if err != nil {
		st.t.Errorf("find what to end: %v", err)
	}
	for _, f := range found {
		if f.Client == nil {
			continue
		}
		if f.Result == nil {
			_ = f.Client.End(ctx, 0) // it may just have ended by itself
		}
		_, _ = f.Client.Follow(ctx, func(int64) error { return nil })
		_ = f.Client.Collect(ctx)
		_ = f.Client.Close()
	}
}

func (st *story) until(what string, ok func() bool) {
	st.t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			st.t.Fatalf("never: %s", what)
		}
	}
}

func (st *story) git(args ...string) string {
	st.t.Helper()
	cmd := exec.CommandContext(st.t.Context(), "git", args...)
	cmd.Dir = st.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		st.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (st *story) put(name, text string) {
	st.t.Helper()
	path := filepath.Join(st.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		st.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		st.t.Fatal(err)
	}
}

func (st *story) now() time.Time {
	return time.Now().Add(time.Duration(st.ahead.Load()) * time.Millisecond)
}

// pass lets time go by.
func (st *story) pass(d time.Duration) { st.ahead.Add(d.Milliseconds()) }

// do makes a call, at another time than the last one, and gives its answer.
func (st *story) do(name string, in any) answer {
	st.t.Helper()
	a, err := st.try(name, in)
	if err != nil {
		st.t.Fatalf("%s: %v", name, err)
	}
	return a
}

// try is do for a call that may be refused.
func (st *story) try(name string, in any) (answer, error) {
	st.t.Helper()
	st.pass(time.Second)
	body, err := json.Marshal(in)
	if err != nil {
		st.t.Fatal(err)
	}
	c, err := server.Find(name)
	if err != nil {
		st.t.Fatal(err)
	}
	env := server.Envelope{Dir: st.dir, User: "ada", Session: st.session, In: body}
	if c.Mode == server.Writing {
		env.Key = kedge.NewID("req", st.now())
	}
	v, err := c.Run(st.t.Context(), st.s, env, nil)
	if err != nil {
		return answer{}, err
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		st.t.Fatal(err)
	}
	return answer{t: st.t, raw: buf.Bytes()}, nil
}

// tell makes a call and compares its answer with the golden of that name.
func (st *story) tell(name string, in any) answer {
	st.t.Helper()
	a := st.do(name, in)
	st.golden(name, a)
	return a
}

func (st *story) golden(name string, a answer) {
	st.t.Helper()
	st.told[name], st.files[name+".json"] = true, true
	got := st.steady(string(a.raw))
	file := filepath.Join("testdata", "answers", name+".json")
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			st.t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			st.t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		st.t.Errorf("call %q has no golden of its answer: go test ./internal/server -run EveryCall -update", name)
		return
	}
	if got != string(want) {
		st.t.Errorf("%s differs (-update writes it anew):\n%s", file, got)
	}
}

// varying is what differs from run to run, or from machine to machine.
var varying = []struct {
	pattern *regexp.Regexp
	as      string
}{
	{regexp.MustCompile(`\b([a-z]{3})-[0-9a-z]{26}\b`), "$1-ID"},
	{regexp.MustCompile(`\bkedge-operator-[A-Z0-9]+\b`), "kedge-operator-TOKEN"},
	{regexp.MustCompile(`\b[0-9a-f]{64}\b`), "SHA256"},
	{regexp.MustCompile(`\b[0-9a-f]{40}\b`), "GITHASH"},
	{regexp.MustCompile(`\b[0-9a-f]{12}\b`), "SHORTHASH"},
	{regexp.MustCompile(`\b\d{8}T\d{6}\.\d{3}Z`), "20261115T120000.000Z"},
	{regexp.MustCompile(`"hash": "[0-9a-f]+"`), `"hash": "HASH"`},
	{regexp.MustCompile(`sha256:[0-9a-f]+`), "sha256:HASH"},
	{regexp.MustCompile(`"(pid|owner_pid|ms|bytes|seconds|age_seconds|tokens|steps)": -?[0-9]+`), `"$1": 1`},
	{regexp.MustCompile(`\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`), "2026-11-15T12:00:00Z"},
	{regexp.MustCompile(`\b20\d\d-\d\d-\d\d \d\d:\d\d\b`), "2026-11-15 12:00"},
	{regexp.MustCompile(`\b20\d\d-\d\d-\d\d\b`), "2026-11-15"},
}

func (st *story) steady(got string) string {
	for from, to := range st.folders() {
		got = strings.ReplaceAll(got, from, to)
	}
	got = strings.ReplaceAll(got, `"version": "`+kedge.Version+`"`, `"version": "VERSION"`)
	for _, r := range varying {
		got = r.pattern.ReplaceAllString(got, r.as)
	}
	return got
}

// folders are the places of this run, also where a link leads to them.
func (st *story) folders() map[string]string {
	out := map[string]string{}
	for path, name := range map[string]string{st.dir: "DIR", st.home: "HOME"} {
		out[path] = name
		if real, err := filepath.EvalSymlinks(path); err == nil {
			out[real] = name
		}
	}
	return out
}

// answer is what a call gave.
type answer struct {
	t   *testing.T
	raw []byte
}

// at gives the text at a path of keys, a number for the place in a list.
func (a answer) at(path ...any) string {
	a.t.Helper()
	var v any
	if err := json.Unmarshal(a.raw, &v); err != nil {
		a.t.Fatal(err)
	}
	for _, key := range path {
		switch key := key.(type) {
		case string:
			v = v.(map[string]any)[key]
		case int:
			v = v.([]any)[key]
		}
	}
	s, ok := v.(string)
	if !ok {
		a.t.Fatalf("at %v there is %v in %s", path, v, a.raw)
	}
	return s
}

// set is the answer with every number of a name set to one that does not vary.
func (a answer) set(key, to string) answer {
	value := regexp.MustCompile(`"` + key + `": [0-9.]+`)
	return answer{t: a.t, raw: value.ReplaceAll(a.raw, []byte(`"`+key+`": `+to))}
}

// without makes null of every value under a key: a machine's own time, which
// differs from run to run.
func (a answer) without(key string) answer {
	value := regexp.MustCompile(`"` + key + `": ("[^"]*"|[0-9]+)`)
	return answer{t: a.t, raw: value.ReplaceAll(a.raw, []byte(`"`+key+`": null`))}
}
