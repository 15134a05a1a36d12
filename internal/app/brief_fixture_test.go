package app_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/app"
	"kedge/internal/app/projects"
	"kedge/internal/app/status"
	"kedge/internal/journal"
)

// place is a project for the tests of what leaves and comes back: its folder,
// the service on it, and a clock that stands still until it is moved.
type place struct {
	t    *testing.T
	dir  string
	home string
	s    *app.Service
	now  time.Time
}

func newPlace(t *testing.T, git bool) *place {
	t.Helper()
	pl := &place{t: t, dir: t.TempDir(), home: t.TempDir(), now: time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)}
	quietEnvironment(t)
	id := kedge.NewID("prj", pl.now)
	idFile := ".kedge/id"
	if git {
		pl.git("init", "-q", "-b", "main")
		pl.put("a.txt", "one\n")
		pl.git("add", ".")
		pl.git("commit", "-q", "-m", "first")
		idFile = ".git/kedge-id"
	}
	pl.put(idFile, id+"\n")
	pl.put(kedge.ValidateFile, "#!/bin/sh\n") // of init; git does not see it
	if git {
		pl.put(".git/info/exclude", kedge.ValidateFile+"\n")
	}
	pl.append(id, kedge.ProjectCreated, kedge.ProjectData{Dir: pl.dir, Name: "shop", Git: git})
	pl.s = app.New(app.Config{Home: pl.home, Now: func() time.Time { return pl.now }})
	t.Cleanup(func() {
		if err := pl.s.Close(); err != nil {
			t.Error(err)
		}
	})
	return pl
}

// append adds facts that other areas write, before the service opens the store.
func (pl *place) append(id string, typ kedge.EventType, data any) {
	pl.t.Helper()
	st, err := journal.Open(filepath.Join(pl.home, "projects", id), journal.Options{Now: func() time.Time { return pl.now }, Key: keyOf(pl.t, pl.home)})
	if err != nil {
		pl.t.Fatal(err)
	}
	ev, err := kedge.NewEvent(typ, kedge.Human("ada"), data)
	if err != nil {
		pl.t.Fatal(err)
	}
	ev.Project = kedge.ProjectID(id)
	if _, _, err := st.Append(pl.t.Context(), "", ev); err != nil {
		pl.t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		pl.t.Fatal(err)
	}
}

// fact adds one fact of another area while the service is closed, and opens it
// again.
func (pl *place) fact(typ kedge.EventType, data any) {
	pl.t.Helper()
	if err := pl.s.Close(); err != nil {
		pl.t.Fatal(err)
	}
	id := pl.read(".git/kedge-id")
	pl.append(strings.TrimSpace(id), typ, data)
}

func (pl *place) git(args ...string) string {
	pl.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir = pl.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		pl.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (pl *place) put(name, text string) {
	pl.t.Helper()
	path := filepath.Join(pl.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		pl.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		pl.t.Fatal(err)
	}
}

func (pl *place) read(name string) string {
	pl.t.Helper()
	b, err := os.ReadFile(filepath.Join(pl.dir, name))
	if err != nil {
		pl.t.Fatal(err)
	}
	return string(b)
}

// who is a fresh request by a person.
func (pl *place) who() projects.Caller {
	return projects.Caller{Dir: pl.dir, Actor: kedge.Human("ada"), Key: kedge.NewID("req", pl.now)}
}

func (pl *place) save(in status.CheckpointSaveRequest) status.CheckpointReply {
	pl.t.Helper()
	pl.now = pl.now.Add(time.Minute)
	r, err := pl.s.CheckpointSave(pl.t.Context(), pl.who(), in)
	if err != nil {
		pl.t.Fatal(err)
	}
	return r
}

func (pl *place) status() status.Reply {
	pl.t.Helper()
	r, err := pl.s.Status(pl.t.Context(), pl.who(), status.Request{})
	if err != nil {
		pl.t.Fatal(err)
	}
	return r
}

func (pl *place) prime(budget int) status.PrimeReply {
	pl.t.Helper()
	r, err := pl.s.Prime(pl.t.Context(), pl.who(), status.PrimeRequest{Budget: budget})
	if err != nil {
		pl.t.Fatal(err)
	}
	return r
}

func featureFact(t *testing.T, order int, d kedge.Definition) kedge.FeatureAddedData {
	t.Helper()
	b, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return kedge.FeatureAddedData{Definition: b, Hash: "h", Order: order}
}
