package main

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/app/sessions"
	"kedge/internal/app/status"
	"kedge/internal/journal"
)

// oldJournals has the recordings of an earlier build, bf01fdb, and what it answered
// about them. tools/record/journal.sh makes them, and says how to record again.
const oldJournals = "testdata/oldjournal"

// oldBox is a recording at a new place: a repository, its KEDGE_HOME and HOME.
type oldBox struct {
	*box
	name string
	base string // the folder that all three are in
}

// openOld unpacks a recording. Its folders are not where they were recorded: the
// project is found by its id, and git repairs the links to its work trees.
func openOld(t *testing.T, name string) *oldBox {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := unpack(filepath.Join(oldJournals, name+".tar.gz"), base); err != nil {
		t.Fatal(err)
	}
	b := &oldBox{name: name, base: base, box: &box{t: t, home: filepath.Join(base, "state"), dir: filepath.Join(base, "shop")}}
	b.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(base, "user"), "KEDGE_HOME=" + b.home, "NO_COLOR=1",
		"USER=ada", "LOGNAME=ada", "GIT_CONFIG_NOSYSTEM=1", "GOCOVERDIR=" + base, "GORACE=" + prompt,
	}
	t.Cleanup(b.clear)
	links, err := filepath.Glob(filepath.Join(b.home, "worktrees", "*", "*", ".git"))
	if err != nil || len(links) == 0 {
		t.Fatalf("the recording has no work trees: %v", err)
	}
	repair := []string{"worktree", "repair"}
	for _, link := range links {
		repair = append(repair, filepath.Dir(link))
	}
	b.git(repair...)
	return b
}

// unpack writes the folders, files and links of a packed recording below a folder.
func unpack(file, to string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = unpackOne(root, h, r)
		}
		if err != nil {
			return fmt.Errorf("unpack %s: %w", file, err)
		}
	}
}

func unpackOne(root *os.Root, h *tar.Header, r io.Reader) error {
	switch h.Typeflag {
	case tar.TypeDir:
		return root.Mkdir(strings.TrimSuffix(h.Name, "/"), h.FileInfo().Mode().Perm())
	case tar.TypeReg:
		text, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		return root.WriteFile(h.Name, text, h.FileInfo().Mode().Perm())
	default:
		return fmt.Errorf("%s is neither a folder nor a file", h.Name)
	}
}

func (b *oldBox) git(args ...string) string {
	b.t.Helper()
	c := exec.Command("git", args...)
	c.Dir, c.Env = b.dir, b.env
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		b.t.Fatalf("git %q: %v\n%s", args, err, errs.String())
	}
	return string(out)
}

// oldQuestions are the commands that read the journal, the tapes and the commits of
// the run, and whose answers depend on nothing else: no clock, no machine. Of the
// killed run they are those whose answers differ from the stopped one's.
func (b *oldBox) oldQuestions() [][]string {
	b.t.Helper()
	asked := [][]string{{"features"}, {"ls"}, {"cost"}, {"checkpoint", "show"}, {"salvage", "ls"}, {"feature", "show", "p1.5"}}
	if b.name == "killed" {
		return asked
	}
	asked = append(asked, [][]string{
		{"status"},
		{"stats"},
		{"stats", "--by", "session"},
		{"next"},
		{"ready"},
		{"plan", "show"},
		{"decide", "ls"},
		{"risk", "ls", "--all"},
		{"notes"},
		{"handoff", "show"},
		{"approve"},
		{"cost", "--by", "feature"},
		{"recall", "cents"},
		{"exec", "--list"},
		{"search", "hello"},
		{"rebuild"},
	}...)
	for _, id := range []string{"legacy", "p1.1", "p1.2", "p1.3", "p1.4", "p1.6", "p2.1"} {
		asked = append(asked, []string{"feature", "show", id})
	}
	for commit := range strings.FieldsSeq(b.git("rev-list", "--reverse", "main.."+b.branch())) {
		asked = append(asked, []string{"explain", commit})
	}
	return asked
}

// branch is the integration branch of the recorded run.
func (b *oldBox) branch() string {
	b.t.Helper()
	return strings.TrimSpace(b.git("branch", "--list", "kedge/*", "--format=%(refname:short)"))
}

func (b *oldBox) features() []kedge.Feature {
	b.t.Helper()
	var list struct {
		Features []kedge.Feature `json:"features"`
	}
	b.json(&list, "features")
	return list.Features
}

// answers gives what this build answers to every question, what it read from a
// tape, and how many events of each type it found in the journal.
func (b *oldBox) answers() map[string]any {
	b.t.Helper()
	out := map[string]any{"the journal": b.events()}
	for _, q := range b.oldQuestions() {
		text := strings.ReplaceAll(b.run(append([]string{q[0], "--json"}, q[1:]...)...), b.base, "BASE")
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			b.t.Fatalf("kedge %q: %v\n%s", q, err, text)
		}
		out[strings.Join(q, " ")] = withoutWording(q[0], v)
	}
	for _, name := range []string{"peek", "p1.1", "p1.5"} {
		out["logs "+name] = b.run("logs", name)
	}
	return out
}

// events counts the events of each type.
func (b *oldBox) events() map[string]any {
	b.t.Helper()
	dirs, err := filepath.Glob(filepath.Join(b.home, "projects", "prj-*"))
	if err != nil || len(dirs) != 1 {
		b.t.Fatalf("projects %q: %v", dirs, err)
	}
	s, err := journal.Open(dirs[0], journal.Options{ReadOnly: true})
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	evs, err := s.Events(b.t.Context(), 0)
	if err != nil {
		b.t.Fatal(err)
	}
	out := map[string]any{}
	for _, e := range evs {
		n, _ := out[string(e.Type)].(float64) // none yet
		out[string(e.Type)] = n + 1
	}
	return out
}

// wording are the fields, by command, whose text a build makes when it is asked and
// may put into better words. Everything else comes from what was stored.
var wording = []string{
	"checkpoint.summary", "checkpoint.text", "explain.ends.why", "explain.steps.text", "feature.why", "handoff.text",
	"next.why", "plan.checklist", "status.next.why", "status.run.next", "status.steps",
}

// withoutWording leaves these fields out of an answer.
func withoutWording(at string, v any) any {
	switch x := v.(type) {
	case map[string]any:
		for name := range x {
			if x[name] = withoutWording(at+"."+name, x[name]); slices.Contains(wording, at+"."+name) {
				delete(x, name)
			}
		}
	case []any:
		for i := range x {
			x[i] = withoutWording(at, x[i])
		}
	}
	return v
}

// lost lists what an answer no longer has, or has otherwise. Fields that came to
// it later are fine: answers may grow.
func lost(at string, want, got any) []string {
	var out []string
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(w)) {
			if field, has := g[name]; !ok || !has {
				out = append(out, fmt.Sprintf("%s.%s is gone; it was %s", at, name, text(w[name])))
			} else {
				out = append(out, lost(at+"."+name, w[name], field)...)
			}
		}
		return out
	case []any:
		g, ok := got.([]any)
		if strings.HasSuffix(at, ".steps") {
			g = inOrder(w, g)
		}
		if !ok || len(g) != len(w) {
			return []string{fmt.Sprintf("%s is %s; it was %s", at, text(got), text(want))}
		}
		for i := range w {
			out = append(out, lost(fmt.Sprintf("%s[%d]", at, i), w[i], g[i])...)
		}
		return out
	default:
		if want != got {
			return []string{fmt.Sprintf("%s is %s; it was %s", at, text(got), text(want))}
		}
		return nil
	}
}

// inOrder leaves of a story the steps that were told before, in their order: more may be
// told today. Where one of them is gone, it is the whole story.
func inOrder(want, got []any) []any {
	var out []any
	for _, step := range got {
		if len(out) < len(want) && len(lost("", want[len(out)], step)) == 0 {
			out = append(out, step)
		}
	}
	if len(out) < len(want) {
		return got
	}
	return out
}

// folds compares what this build answers with what the earlier one did. The
// earlier one alone may write that down.
func (b *oldBox) folds() {
	b.t.Helper()
	file := filepath.Join(oldJournals, b.name+".json")
	got := b.answers()
	if os.Getenv("UPDATE") != "" && os.Getenv("KEDGE_TEST_OLD_BINARY") != "" {
		b.record(file, got)
	}
	golden, err := os.ReadFile(file)
	if err != nil {
		b.t.Fatal(err)
	}
	var want map[string]any
	if err := json.Unmarshal(golden, &want); err != nil {
		b.t.Fatal(err)
	}
	if len(want) == 0 {
		b.t.Fatalf("%s has no answers", file)
	}
	for _, q := range slices.Sorted(maps.Keys(want)) {
		diff := lost("", want[q], got[q])
		if most := 5; len(diff) > most {
			diff = append(diff[:most], fmt.Sprintf("… and %d more", len(diff)-most))
		}
		if len(diff) > 0 {
			b.t.Errorf("%s: this build answers otherwise:\n%s", q, strings.Join(diff, "\n"))
		}
	}
}

func (b *oldBox) record(file string, answers map[string]any) {
	b.t.Helper()
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(answers); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// decide does what the run waits for: the blocked feature is tried again, the
// question answered, the work in review accepted.
func (b *oldBox) decide() {
	b.t.Helper()
	b.run("feature", "reopen", "p1.2", "--reason", "cents after all")
	b.run("answer", "p1.4", "19 percent")
	b.run("approve", "p1.3", "--reason", "good words")
}

// let ends the waiting of the session of p1.5.
func (b *oldBox) let() {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.base, "user", "go"), nil, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// oldWork are the files of the finished work.
var oldWork = map[string]string{
	"order.txt": "order\n", "price.txt": "right\n", "words.txt": "welcome\n", "tax.txt": "19 percent\n",
	"p1.6.txt": "p1.6\n", "p2.1.txt": "p2.1\n",
}

// oldCommits are the commits of the run, by their subjects, sorted.
var oldCommits = []string{
	"its price",
	"kedge: p1.1 is completed", "kedge: p1.2 is blocked", "kedge: p1.2 is completed", "kedge: p1.3 is completed",
	"kedge: p1.3 is needs_review", "kedge: p1.4 is completed", "kedge: p1.5 is completed", "kedge: p1.6 is completed",
	"kedge: p2.1 is completed",
	"the mail", "the order", "the parcel", "the stock", "the tax", "words for people",
}

// landed checks that main has all the work: what the earlier build committed,
// unchanged, and what this one added to it.
func (b *oldBox) landed(was, tip string) {
	b.t.Helper()
	var st status.Reply
	if b.json(&st, "status"); st.Run == nil || st.Run.State != "done" {
		b.t.Errorf("the run ended as %+v", st.Run)
	}
	for _, f := range b.features() {
		want := kedge.Completed
		if f.ID == "legacy" {
			want = kedge.Skipped
		}
		if f.Status != want {
			b.t.Errorf("feature %s is %s, not %s", f.ID, f.Status, want)
		}
	}
	subjects := strings.Split(strings.TrimSpace(b.git("log", "--format=%s", was+"..main")), "\n")
	slices.Sort(subjects)
	if !slices.Equal(subjects, oldCommits) {
		b.t.Errorf("main got the commits\n%s\nnot\n%s", strings.Join(subjects, "\n"), strings.Join(oldCommits, "\n"))
	}
	b.git("merge-base", "--is-ancestor", tip, "main")
	for name, want := range oldWork {
		if got := b.git("show", "main:"+name); got != want {
			b.t.Errorf("%s is %q, not %q", name, got, want)
		}
	}
	if stock := b.git("show", "main:stock.txt"); !strings.HasPrefix(stock, "half\nmore\n") || !strings.HasSuffix(stock, "whole\n") {
		b.t.Errorf("the work of earlier sessions is lost: stock.txt is %q", stock)
	}
	if dirt := b.git("status", "--porcelain"); dirt != "" {
		b.t.Errorf("the checkout has changes:\n%s", dirt)
	}
	b.until("the checkout alone is left of the work trees", func() bool { // they go after the run is done
		return strings.Count(b.git("worktree", "list", "--porcelain"), "worktree ") == 1
	})
}

// rebuilt checks that the journal, begun by the earlier build and ended by this
// one, gives the same again.
func (b *oldBox) rebuilt() {
	b.t.Helper()
	var r struct {
		Changed bool `json:"changed"`
		Events  int  `json:"events"`
	}
	b.run("down") // who writes meanwhile changes what is compared
	b.json(&r, "rebuild")
	if r.Changed || r.Events == 0 {
		b.t.Errorf("the journal is built anew as %+v", r)
	}
}

// attached watches the run to its good end. Once it watches, it calls begin:
// before, the run must not end, or another one would begin.
func (b *oldBox) attached(begin func()) {
	b.t.Helper()
	c := b.command("run", "--json")
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.StdoutPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		b.t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	first, err := lines.ReadString('\n')
	begin()
	if err == nil {
		_, err = io.Copy(io.Discard, lines)
	}
	if err := errors.Join(err, c.Wait()); err != nil {
		b.t.Fatalf("kedge run: %v\n%s%s", err, first, errs.String())
	}
}

func (b *oldBox) head(ref string) string {
	b.t.Helper()
	return strings.TrimSpace(b.git("rev-parse", ref))
}

// withOldBinary has the tests use another kedge, to record what it answers, or to
// see that it does the same.
func withOldBinary(t *testing.T) {
	t.Helper()
	other := os.Getenv("KEDGE_TEST_OLD_BINARY")
	if other == "" {
		return
	}
	dir := t.TempDir()
	if err := os.Symlink(other, filepath.Join(dir, "kedge")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// TestOldJournalIsFoldedResumedAndLanded: a run that an earlier build began and
// you stopped. This build answers as the earlier one did, and rebuilds the same;
// it does the rest of the work, and lands all of it.
func TestOldJournalIsFoldedResumedAndLanded(t *testing.T) {
	withOldBinary(t)
	b := openOld(t, "stopped")
	b.folds()
	was, tip := b.head("main"), b.head(b.branch())
	b.decide()
	b.let()
	b.run("run", "--continue")
	b.landed(was, tip)
	b.rebuilt()
}

// TestOldJournalOfAKilledRunIsFoldedResumedAndLanded: the same run, when daemon,
// agent and holder had just been killed in the middle of a session. The next
// daemon resumes it by itself, with one more session for the same feature.
func TestOldJournalOfAKilledRunIsFoldedResumedAndLanded(t *testing.T) {
	withOldBinary(t)
	b := openOld(t, "killed")
	b.folds()
	was, tip := b.head("main"), b.head(b.branch())
	b.run("risk", "add", "the project was moved") // a command that writes tells the journal
	b.run("down")
	b.run("up")
	b.decide()
	b.attached(b.let)
	b.landed(was, tip)
	var ls sessions.SessionListReply
	b.json(&ls, "ls")
	var dead, all int
	for _, s := range ls.Sessions {
		if s.Name == "p1.5" {
			all++
			if s.State == kedge.SessionInterrupted {
				dead++
			}
		}
	}
	if all != 3 || dead != 1 {
		t.Errorf("p1.5 had %d sessions, %d of them interrupted", all, dead)
	}
	b.rebuilt()
}
