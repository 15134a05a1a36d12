package reports

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kedge"
	"kedge/internal/agents/record"
	"kedge/internal/app/projects"
	"kedge/internal/core/delta"
	"kedge/internal/core/detect"
	"kedge/internal/core/run"
	"kedge/internal/git"
	"kedge/internal/insight/audit"
	"kedge/internal/insight/stats"
	"kedge/internal/journal"
)

// HygieneRequest asks what makes a repository hard to work in.
type HygieneRequest struct {
	SlowMS int64             `json:"slow_ms,omitempty"` // a check is slow from this median on; 0: usualSlow
	Large  int64             `json:"large,omitempty"`   // a file is large from this many bytes on; 0: usualLarge
	Env    map[string]string `json:"env,omitempty"`     // of the caller, where agents keep their files
}

// What counts as slow and as large, where nobody says.
const (
	usualSlow  = 10 * time.Second
	usualLarge = 512 << 10
)

// HygieneReply is `hygiene --json`. Every finding has the evidence that it comes from.
type HygieneReply struct {
	Looked    HygieneLooked      `json:"looked"`
	Flaky     []stats.FlakyCheck `json:"flaky_checks"`
	Slow      []stats.SlowCheck  `json:"slow_checks"`
	Files     []audit.HeavyFile  `json:"context_files"` // that fill contexts again and again
	Untested  []stats.Untested   `json:"untested"`      // source that features changed and no test covers
	Large     []TrackedFile      `json:"large"`
	Generated []TrackedFile      `json:"generated"`
}

// HygieneLooked is how much there was to look at: without verdicts nothing is known of
// checks, and without transcripts nothing of contexts.
type HygieneLooked struct {
	Verdicts    int `json:"verdicts"`
	Transcripts int `json:"transcripts"`
	Features    int `json:"features"` // that runs have completed
	Files       int `json:"files"`    // under version control
}

// TrackedFile is a file under version control that should perhaps not be there.
type TrackedFile struct {
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
	Why    string `json:"why"`
	Commit string `json:"commit"` // the last that changed it; empty: unknown
}

// Hygiene lists what makes the repository hard to work in, each with its evidence.
func (s *Reports) Hygiene(ctx context.Context, who projects.Caller, in HygieneRequest) (HygieneReply, error) {
	r := HygieneReply{Files: []audit.HeavyFile{}, Untested: []stats.Untested{}, Large: []TrackedFile{}, Generated: []TrackedFile{}}
	p, err := s.home.Open(ctx, who)
	if err != nil {
		return r, err
	}
	if err := r.checks(ctx, p, in); err != nil {
		return r, err
	}
	seen, err := s.audited(ctx, projects.Caller{Dir: p.Dir, Actor: who.Actor, Progress: who.Progress}, AuditRequest{Env: in.Env})
	if err != nil {
		return r, err
	}
	r.Looked.Transcripts = len(seen.Sessions)
	r.Files = audit.Heavy(seen.Sessions, inFolders(record.Folders(p.Dir)))
	if !p.Git {
		return r, nil
	}
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return r, err
	}
	return r, r.tree(ctx, p, repo, in)
}

func (r *HygieneReply) checks(ctx context.Context, p *projects.Project, in HygieneRequest) error {
	verdicts, err := projects.All[kedge.Evidence](ctx, p, journal.KindEvidence)
	if err != nil {
		return err
	}
	slow := time.Duration(in.SlowMS) * time.Millisecond
	if slow <= 0 {
		slow = usualSlow
	}
	r.Looked.Verdicts = len(verdicts)
	r.Flaky, r.Slow = stats.CheckHygiene(verdicts, slow)
	return nil
}

// inFolders names a file by its path below the innermost of the folders that has it;
// nothing for one outside of them.
func inFolders(folders []string) func(string) string {
	folders = slices.Clone(folders)
	slices.SortFunc(folders, func(a, b string) int { return len(b) - len(a) })
	return func(path string) string {
		if !filepath.IsAbs(path) {
			return filepath.ToSlash(filepath.Clean(path))
		}
		for _, dir := range folders {
			if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
				return filepath.ToSlash(rel)
			}
		}
		return ""
	}
}

// tree looks at what is under version control.
func (r *HygieneReply) tree(ctx context.Context, p *projects.Project, repo *git.Repo, in HygieneRequest) error {
	head, err := repo.Head(ctx)
	if err != nil || head.Unborn {
		return err
	}
	entries, err := repo.List(ctx, head.Commit, "")
	if err != nil {
		return err
	}
	large := in.Large
	if large <= 0 {
		large = usualLarge
	}
	var tests []string
	for _, e := range entries {
		if e.Type != "blob" || kedge.IsOwnPath(e.Path) {
			continue
		}
		r.Looked.Files++
		if detect.IsTest(e.Path) {
			tests = append(tests, e.Path)
		}
		r.tracked(p.Dir, e.Path, large)
	}
	if err := r.lastChanges(ctx, repo, head.Commit); err != nil {
		return err
	}
	works, err := worksOf(ctx, p)
	if err != nil {
		return err
	}
	r.Looked.Features = len(works)
	r.Untested = stats.UntestedIn(works, tests, func(path string) (string, bool) {
		b, err := repo.ReadFile(ctx, head.Commit, path)
		return string(b), err == nil
	})
	return nil
}

// headBytes is how much of a file is read to see whether it says that it is generated.
const headBytes = 1024

// tracked notes a file that is large or looks generated. One that is not in the checkout
// as a plain file cannot be looked at.
func (r *HygieneReply) tracked(dir, path string, large int64) {
	file := filepath.Join(dir, filepath.FromSlash(path))
	fi, err := os.Lstat(file)
	if err != nil || !fi.Mode().IsRegular() {
		return
	}
	if why := detect.Generated(path, headOf(file)); why != "" {
		r.Generated = append(r.Generated, TrackedFile{Path: path, Bytes: fi.Size(), Why: why})
	}
	if fi.Size() >= large {
		r.Large = append(r.Large, TrackedFile{Path: path, Bytes: fi.Size(), Why: "large"})
	}
}

func headOf(file string) []byte {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }() // it was only read
	b, _ := io.ReadAll(io.LimitReader(f, headBytes))
	return b
}

// shownTracked is how many files of a kind are looked up in the history.
const shownTracked = 50

// lastChanges orders the files by size, and says which commit changed each last.
func (r *HygieneReply) lastChanges(ctx context.Context, repo *git.Repo, head string) error {
	for _, list := range [][]TrackedFile{r.Large, r.Generated} {
		slices.SortStableFunc(list, func(a, b TrackedFile) int { return int(b.Bytes - a.Bytes) })
		for i := range list[:min(len(list), shownTracked)] {
			var err error
			if list[i].Commit, err = repo.LastChange(ctx, head, list[i].Path); err != nil {
				return err
			}
		}
	}
	return nil
}

// worksOf is what the features changed that are completed, each as it was inspected last,
// with the commit of a run.
func worksOf(ctx context.Context, p *projects.Project) ([]stats.Work, error) {
	docs, err := projects.All[journal.FeatureDoc](ctx, p, journal.KindFeature)
	if err != nil {
		return nil, err
	}
	commits, err := commitsOf(ctx, p)
	if err != nil {
		return nil, err
	}
	var out []stats.Work
	for _, d := range docs {
		if d.Status != kedge.Completed {
			continue
		}
		list, err := journal.About[kedge.Inspection](ctx, p.Store, journal.KindInspection, string(d.ID))
		if err != nil {
			return nil, err
		}
		if len(list) == 0 {
			continue
		}
		last := slices.MaxFunc(list, func(a, b kedge.Inspection) int { return a.At.Compare(b.At) })
		out = append(out, stats.Work{Feature: d.ID, Run: last.Run, Commit: commits[d.ID], Files: last.Files})
	}
	return out, nil
}

// commitsOf gives the last work commit that a run made for each feature.
func commitsOf(ctx context.Context, p *projects.Project) (map[kedge.FeatureID]string, error) {
	type asked struct {
		run   kedge.RunID
		epoch int64
	}
	features, out := map[asked]kedge.FeatureID{}, map[kedge.FeatureID]string{}
	for ev, err := range p.Store.Since(ctx, 0) {
		if err != nil {
			return nil, err
		}
		var d delta.Stepped
		if ev.Type != kedge.RunStepped || !strings.Contains(string(ev.Data), `"commit`) {
			continue
		}
		if err := json.Unmarshal(ev.Data, &d); err != nil {
			return nil, kedge.Errorf(kedge.Internal, "cannot read event %d in Kedge's journal of this project: %w", ev.Seq, err).WithHint("see what is wrong: kedge doctor")
		}
		for _, c := range d.Commands() {
			if c.Kind == run.Commit {
				features[asked{d.Run, c.Epoch}] = c.Feature
			}
		}
		if f := features[asked{d.Run, d.Event.Epoch}]; f != "" && d.Event.Kind == run.Committed && d.Event.Commit != "" {
			out[f] = d.Event.Commit
		}
	}
	return out, nil
}
