package app_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/app/features"
	"kedge/internal/app/maintenance"
	"kedge/internal/app/memory"
	"kedge/internal/app/projects"
	"kedge/internal/journal"
)

func (y *yard) doctor() maintenance.DoctorReply {
	y.t.Helper()
	r, err := y.s.Doctor(y.t.Context(), y.person(), maintenance.DoctorRequest{})
	if err != nil {
		y.t.Fatal(err)
	}
	return r
}

func (y *yard) storeDir() string { return filepath.Join(y.home, "projects", y.id) }

// has tells whether there is a finding of this level and place that says what.
func has(found []kedge.Finding, level kedge.Level, where, what string) bool {
	return slices.ContainsFunc(found, func(f kedge.Finding) bool {
		return f.Level == level && f.Where == where && strings.Contains(f.What, what)
	})
}

func TestDoctorIsQuietWhenAllIsWell(t *testing.T) {
	for _, git := range []bool{true, false} {
		y := newYard(t, git)
		y.add("a")
		y.add("b", after("a"))
		if _, err := y.s.RiskAdd(t.Context(), y.person(), memory.RiskAddRequest{Text: "it may break"}); err != nil {
			t.Fatal(err)
		}
		if r := y.doctor(); !r.OK || r.Findings == nil || len(errorsOf(r)) > 0 {
			t.Errorf("git %v: %+v", git, r)
		}
	}
}

func errorsOf(r maintenance.DoctorReply) []kedge.Finding {
	return slices.DeleteFunc(slices.Clone(r.Findings), func(f kedge.Finding) bool { return f.Level != kedge.LevelError })
}

// TestRow47DoctorValidatesEveryStateFile: each file with something its format
// does not have is an error with its line, and nothing is written.
func TestRow47DoctorValidatesEveryStateFile(t *testing.T) {
	feature := `{"version": 1, "project": "x", "features": [` + "\n" + `{"id": "a", "name": "A", ` + "\n"
	for file, c := range map[string]struct{ text, where, what string }{
		"unknown key":   {feature + `"colour": "red"}]}`, ".kedge/features.json:3", "colour"},
		"duplicate key": {feature + `"name": "B"}]}`, ".kedge/features.json:3", "name"},
		"not JSON":      {"{\n\"version\": 1,\n", ".kedge/features.json:", ""},
		"config":        {"version = 1\n[run]\nspeed = 9\n", ".kedge/config.toml:3", "speed"},
		"config twice":  {"version = 1\n[run]\nparallel = 1\nparallel = 2\n", ".kedge/config.toml:4", "parallel"},
		"gate":          {"version = 1\n[[check]]\nname = \"a\"\nrun = \"true\"\ncolour = \"red\"\n", ".kedge/gate.toml:5", "colour"},
		"plan":          {"---\nversion: 1\nid: pln-1\ncolour: red\n---\n", ".kedge/plan.md:4", "colour"},
		"decision":      {"---\nversion: 1\nid: dec-1\ncolour: red\n---\n", ".kedge/decisions/x.md:4", "colour"},
		"note":          {"---\nversion: 1\nid: not-1\nid: not-2\n---\n", ".kedge/notes/x.md:4", "id"},
		"risks":         {"---\nversion: 1\ncolour: red\n---\n", ".kedge/risks.md:", ""},
		"progress":      {"---\nversion: 1\ncolour: red\n---\n", ".kedge/progress.md:", ""},
		"checkpoint":    {"<!-- kedge:checkpoint v1 id=ckp-1 colour=red -->\n", ".kedge/checkpoint.md:1", ""},
		"handoff":       {"---\nversion: 1\ncolour: red\n---\n", ".kedge/handoff.md:", ""},
	} {
		t.Run(file, func(t *testing.T) {
			y := newYard(t, true)
			y.add("z")
			path, _, _ := strings.Cut(c.where, ":")
			y.put(path, c.text)
			r := y.doctor()
			if r.OK || !slices.ContainsFunc(errorsOf(r), func(f kedge.Finding) bool {
				return strings.HasPrefix(f.Where, c.where) && len(f.Where) > len(path)+1 && strings.Contains(f.What, c.what)
			}) {
				t.Errorf("want an error at %s about %q, got %+v", c.where, c.what, r)
			}
			if y.read(path) != c.text {
				t.Error("the doctor changed the file")
			}
		})
	}
}

// TestRow91DoctorFindsCyclesAndUnknownIDs prints the path of the cycle and the
// id that does not exist.
func TestRow91DoctorFindsCyclesAndUnknownIDs(t *testing.T) {
	y := newYard(t, false)
	for _, id := range []string{"one", "two", "three"} {
		y.add(id)
	}
	text := y.read(".kedge/features.json")
	for id, dep := range map[string]string{"one": "three", "two": "one", "three": "two"} {
		at := strings.Index(text, `"id": "`+id+`"`)
		rest := strings.Replace(text[at:], `"dependencies": []`, `"dependencies": ["`+dep+`", "nobody"]`, 1)
		text = text[:at] + rest
	}
	y.put(".kedge/features.json", text)
	r := y.doctor()
	if r.OK {
		t.Fatalf("doctor: %+v", r)
	}
	var cycle, unknown int
	for _, f := range errorsOf(r) {
		if !strings.HasPrefix(f.Where, ".kedge/features.json:") || f.Fix == "" {
			t.Errorf("where or fix is missing: %+v", f)
		}
		if strings.Contains(f.What, "circle") && strings.Contains(f.What, "one") && strings.Contains(f.What, "two") && strings.Contains(f.What, "three") {
			cycle++
		}
		if strings.Contains(f.What, `"nobody", which does not exist`) {
			unknown++
		}
	}
	if cycle != 1 || unknown != 3 {
		t.Errorf("%d cycles, %d unknown ids: %+v", cycle, unknown, r.Findings)
	}
}

func TestDoctorTellsOfEditsThatAreNotAnsweredYet(t *testing.T) {
	y := newYard(t, false)
	y.add("a")
	y.replace(".kedge/features.json", "name of a", "another name")
	r := y.doctor()
	if !r.OK || !has(r.Findings, kedge.LevelWarning, ".kedge/features.json", "edited by hand") {
		t.Errorf("doctor: %+v", r)
	}
}

// TestF7DoctorOfADamagedJournal: a journal that does not open is a finding, the
// rest is looked at all the same, and nothing is repaired by removing it.
func TestF7DoctorOfADamagedJournal(t *testing.T) {
	y := newYard(t, true)
	y.add("a")
	if err := y.s.Close(); err != nil {
		t.Fatal(err)
	}
	db := filepath.Join(y.storeDir(), "kedge.db")
	if err := os.WriteFile(db, []byte("this is no database, it only lies there"), 0o600); err != nil {
		t.Fatal(err)
	}
	y.put(".kedge/gate.toml", "version = 1\nnonsense = 1\n")
	for _, readOnly := range []bool{true, false} {
		y.open(readOnly)
		r := y.doctor()
		if r.OK || !has(r.Findings, kedge.LevelError, y.storeDir(), "kedge.db") || !has(r.Findings, kedge.LevelError, ".kedge/gate.toml:2", "nonsense") {
			t.Errorf("read only %v: %+v", readOnly, r)
		}
		list, err := y.s.ProjectList(t.Context(), y.person(), maintenance.ProjectListRequest{})
		if err != nil || len(list.Projects) != 1 || list.Projects[0].State != maintenance.ProjectDamaged || list.Projects[0].Problem == "" {
			t.Errorf("list: %+v, %v", list, err)
		}
	}
	if b, err := os.ReadFile(db); err != nil || !strings.HasPrefix(string(b), "this is no database") {
		t.Errorf("the damaged file was changed: %v", err)
	}
}

func TestDoctorOutsideAProject(t *testing.T) {
	y := newYard(t, false)
	_, err := y.s.Doctor(t.Context(), projects.Caller{Dir: t.TempDir()}, maintenance.DoctorRequest{})
	if !kedge.NotFound.Is(err) {
		t.Errorf("doctor: %v", err)
	}
}

func TestDoctorOfAnOpenHome(t *testing.T) {
	y := newYard(t, false)
	y.add("a")
	if err := os.Chmod(y.home, 0o755); err != nil { //nolint:gosec // that is what is tested
		t.Fatal(err)
	}
	if r := y.doctor(); !r.OK || !has(r.Findings, kedge.LevelWarning, y.home, "other users can read") {
		t.Errorf("doctor: %+v", r)
	}
}

func TestRebuildBringsFilesBack(t *testing.T) {
	y := newYard(t, false)
	y.add("a")
	if _, err := y.s.RiskAdd(t.Context(), y.person(), memory.RiskAddRequest{Text: "it may break"}); err != nil {
		t.Fatal(err)
	}
	want := y.read(".kedge/features.json")
	if err := os.Remove(filepath.Join(y.dir, ".kedge", "features.json")); err != nil {
		t.Fatal(err)
	}
	r, err := y.s.Rebuild(t.Context(), y.person(), maintenance.RebuildRequest{})
	if err != nil || r.Changed || r.Documents < 2 || r.Events < 2 || len(r.SHA256) != 64 || string(r.Project) != y.id {
		t.Errorf("rebuild: %+v, %v", r, err)
	}
	if got := y.read(".kedge/features.json"); got != want {
		t.Errorf("features.json:\n%s", got)
	}
	again, err := y.s.Rebuild(t.Context(), y.person(), maintenance.RebuildRequest{})
	if err != nil || again.Changed {
		t.Errorf("again: %+v, %v", again, err)
	}
	y.open(true)
	if _, err := y.s.Rebuild(t.Context(), y.person(), maintenance.RebuildRequest{}); !kedge.Conflict.Is(err) {
		t.Errorf("without a daemon: %v", err)
	}
}

func TestBackupOpensAsAStore(t *testing.T) {
	y := newYard(t, false)
	y.add("a")
	path := filepath.Join(t.TempDir(), "copy")
	r, err := y.s.Backup(t.Context(), y.person(), maintenance.BackupRequest{Path: path})
	if err != nil || r.Path != path || r.Events < 1 || r.Bytes < 1000 {
		t.Fatalf("backup: %+v, %v", r, err)
	}
	st, err := journal.Open(path, journal.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	if f, err := journal.All[journal.FeatureDoc](t.Context(), st, journal.KindFeature); err != nil || len(f) != 1 || f[0].ID != "a" {
		t.Errorf("features %+v, %v", f, err)
	}
	if _, err := y.s.Backup(t.Context(), y.person(), maintenance.BackupRequest{Path: path}); !kedge.Conflict.Is(err) {
		t.Errorf("over another: %v", err)
	}
	if _, err := y.s.Backup(t.Context(), y.person(), maintenance.BackupRequest{Path: "copy"}); !kedge.Invalid.Is(err) {
		t.Errorf("a relative path: %v", err)
	}
	y.open(true) // without a daemon
	r, err = y.s.Backup(t.Context(), y.person(), maintenance.BackupRequest{})
	if err != nil || !strings.HasPrefix(r.Path, filepath.Join(y.home, "backups", y.id)) {
		t.Errorf("by default: %+v, %v", r, err)
	}
}

func TestProjectRemoveForgetsAndTouchesNothing(t *testing.T) {
	y := newYard(t, true)
	y.add("a")
	before := y.git("status", "--porcelain", "--ignored")
	if _, err := y.s.ProjectRemove(t.Context(), y.agent(), maintenance.ProjectRemoveRequest{Project: y.id}); !kedge.Blocked.Is(err) {
		t.Errorf("by an agent: %v", err)
	}
	if _, err := y.s.ProjectRemove(t.Context(), y.person(), maintenance.ProjectRemoveRequest{Project: "nothing"}); !kedge.NotFound.Is(err) {
		t.Errorf("unknown: %v", err)
	}
	who := y.person()
	r, err := y.s.ProjectRemove(t.Context(), who, maintenance.ProjectRemoveRequest{Project: y.id})
	if err != nil || string(r.Project.ID) != y.id || !strings.HasPrefix(r.MovedTo, filepath.Join(y.home, "attic", "trash")) {
		t.Fatalf("remove: %+v, %v", r, err)
	}
	if _, err := os.Stat(y.storeDir()); !os.IsNotExist(err) {
		t.Errorf("its state is still there: %v", err)
	}
	if got := y.git("status", "--porcelain", "--ignored"); got != before {
		t.Errorf("the folder was touched: %s", got)
	}
	again, err := y.s.ProjectRemove(t.Context(), who, maintenance.ProjectRemoveRequest{Project: y.id})
	if err != nil || again != r {
		t.Errorf("the request again: %+v, %v", again, err)
	}
	list, err := y.s.ProjectList(t.Context(), y.person(), maintenance.ProjectListRequest{})
	if err != nil || list.Projects == nil || len(list.Projects) != 0 {
		t.Errorf("list: %+v, %v", list, err)
	}
	if err := os.Rename(r.MovedTo, y.storeDir()); err != nil { // as the help says
		t.Fatal(err)
	}
	f, err := y.s.Features(t.Context(), y.person(), features.ListRequest{})
	if err != nil || len(f.Features) != 1 {
		t.Errorf("after moving it back: %+v, %v", f, err)
	}
}
