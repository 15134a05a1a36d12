package maintenance

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/agents/trust"
	"kedge/internal/app/projects"

	"kedge/internal/core/config"
	"kedge/internal/git"
	"kedge/internal/journal"
)

// TrustFile is a file that runs code or steers agents, as it is shown.
type TrustFile struct {
	trust.File
	Dir      string `json:"dir,omitempty"` // the worktree of a session; empty: the last commit has it
	Approved bool   `json:"approved"`
}

// TrustVariable is an environment variable that the repository sets and may not set
// unapproved, as it is shown.
type TrustVariable struct {
	trust.Variable
	Dir      string `json:"dir,omitempty"`
	Approved bool   `json:"approved"`
}

// TrustApproveRequest approves the files that you saw: Hash is the beginning of the hash
// of all unapproved files. With Name it approves one variable, by the beginning of its
// hash.
type TrustApproveRequest struct {
	Name string `json:"name,omitempty"`
	Hash string `json:"hash"`
}

// TrustApproveReply is the approval as the journal has it.
type TrustApproveReply struct {
	Items []kedge.Trusted `json:"items"`
}

// TrustApprove lets agents use exactly these contents. Agents may not approve.
func (s *Maintenance) TrustApprove(ctx context.Context, who projects.Caller, in TrustApproveRequest) (TrustApproveReply, error) {
	if who.IsAgent() {
		id, _ := who.Session()
		return TrustApproveReply{}, kedge.Errorf(kedge.Blocked, "this is session %q, and agents may not approve files that run code or steer agents", id).
			WithHint("ask the user to run: kedge approve")
	}
	if len(in.Hash) < trust.Digits {
		return TrustApproveReply{}, kedge.Errorf(kedge.Invalid, "the hash %q is too short: give at least its first %d digits", in.Hash, trust.Digits).
			WithHint("see the hash: kedge approve")
	}
	p, repo, err := s.home.Repository(ctx, who)
	if err != nil {
		return TrustApproveReply{}, err
	}
	evs, err := s.home.Write(ctx, p, who, func() ([]kedge.Event, error) {
		open, err := Unapproved(ctx, p, repo, "HEAD")
		if err != nil {
			return nil, err
		}
		items, err := chosen(open, in)
		if err != nil {
			return nil, err
		}
		return projects.One(projects.Event(kedge.TrustApproved, who, kedge.TrustApprovedData{Items: items}))
	})
	if err != nil {
		return TrustApproveReply{}, err
	}
	d, err := projects.Data[kedge.TrustApprovedData](evs[0])
	return TrustApproveReply{Items: d.Items}, err
}

// chosen are what the request speaks of.
func chosen(open trust.Found, in TrustApproveRequest) ([]kedge.Trusted, error) {
	if in.Name == "" {
		switch {
		case len(open.Files) == 0:
			return nil, kedge.Errorf(kedge.NotFound, "no file waits for your approval").WithHint("see what else waits for your approval: kedge approve")
		case !strings.HasPrefix(open.Hash(), in.Hash):
			return nil, kedge.Errorf(kedge.Conflict, "%q is not the current hash of the files: the files have changed, or the hash is mistyped", in.Hash).WithHint("see the current hash: kedge approve")
		}
		return trust.Found{Files: open.Files}.Items(), nil
	}
	named := false
	for _, v := range open.Variables {
		named = named || v.Name == in.Name
		if v.Name == in.Name && strings.HasPrefix(v.SHA256, in.Hash) {
			return []kedge.Trusted{v.Trusted()}, nil
		}
	}
	if named {
		return nil, kedge.Errorf(kedge.Conflict, "%q is not the current hash of the setting %q: the setting has changed, or the hash is mistyped", in.Hash, in.Name).WithHint("see the current hash: kedge approve")
	}
	return nil, kedge.Errorf(kedge.NotFound, "the setting %q needs no approval: you approved it already, or no file of the repository contains it", in.Name).WithHint("see what needs your approval: kedge approve")
}

// Approvals gives a function that tells whether you approved something in a project.
func Approvals(ctx context.Context, p *projects.Project) (func(kedge.Trusted) bool, error) {
	all, err := projects.All[kedge.Trusted](ctx, p, journal.KindTrust)
	if err != nil {
		return nil, err
	}
	known := make(map[string]bool, len(all))
	for _, t := range all {
		known[t.ID()] = true
	}
	return func(t kedge.Trusted) bool { return known[t.ID()] }, nil
}

// Done is the work on a feature: its tree, and the commit that it started from.
type Done struct {
	Run        kedge.RunID
	Feature    kedge.FeatureID
	Base, Tree string
}

// approvedFor tells what a person approved of this very work.
func approvedFor(ctx context.Context, p *projects.Project, w Done) (func(kedge.Trusted) bool, error) {
	all, err := projects.All[kedge.TrustedFor](ctx, p, journal.KindTrust)
	if err != nil {
		return nil, err
	}
	return func(t kedge.Trusted) bool {
		return slices.Contains(all, kedge.TrustedFor{Trusted: t, Run: w.Run, Feature: w.Feature})
	}, nil
}

// Unapproved finds unapproved files that run code or steer agents: in a commit, among
// the files that config.toml copies into worktrees, and in worktrees where they were
// seen.
func Unapproved(ctx context.Context, p *projects.Project, repo *git.Repo, commit string) (trust.Found, error) {
	approved, err := Approvals(ctx, p)
	if err != nil {
		return trust.Found{}, err
	}
	found, err := Executables(ctx, p, repo, commit)
	if err != nil {
		return trust.Found{}, err
	}
	met, err := metIn(ctx, p, repo)
	for _, m := range met {
		found = found.And(m.found)
	}
	return found.Without(approved), err
}

// Executables finds the files that run code or steer agents in a fresh worktree of a
// commit.
func Executables(ctx context.Context, p *projects.Project, repo *git.Repo, commit string) (trust.Found, error) {
	tree, err := treeOf(ctx, repo, commit)
	if err != nil {
		return trust.Found{}, err
	}
	found, err := catalog.Trust().Scan(tree)
	if err != nil {
		return found, err
	}
	cfg, err := projects.Source{Project: p, Repo: repo, Base: commit}.Config(ctx, "")
	if err != nil || len(cfg.Worktree.Copy) == 0 {
		return found, err
	}
	copied, err := copiedFrom(ctx, repo, p.Dir, cfg)
	return found.And(copied), err
}

// treeOf is a commit, or a tree, as package trust looks at it.
func treeOf(ctx context.Context, repo *git.Repo, rev string) (*trust.Commit, error) {
	list, err := repo.List(ctx, rev, "")
	if err != nil {
		return nil, err
	}
	entries := make([]trust.Entry, 0, len(list))
	for _, e := range list {
		entries = append(entries, trust.Entry{Path: e.Path, Kind: entryKind(e)})
	}
	return trust.OfCommit(entries, func(name string) ([]byte, error) { return repo.ReadFile(ctx, rev, name) }), nil
}

// Brought finds files that run code or steer agents, that the work adds to its base, and
// that are not approved for it. An approval at another time does not count: the file may
// have been removed since, for a reason.
func Brought(ctx context.Context, p *projects.Project, repo *git.Repo, w Done) (trust.Found, error) {
	approved, err := approvedFor(ctx, p, w)
	if err != nil {
		return trust.Found{}, err
	}
	var found [2]trust.Found
	for i, rev := range []string{w.Tree, w.Base} {
		tree, err := treeOf(ctx, repo, rev)
		if err == nil {
			found[i], err = catalog.Trust().ScanWork(tree)
		}
		if err != nil && (i == 0 || !kedge.Blocked.Is(err)) {
			return trust.Found{}, err
		}
	}
	had := found[1].Items()
	return found[0].Without(func(t kedge.Trusted) bool { return approved(t) || slices.Contains(had, t) }), nil
}

func entryKind(e git.Entry) trust.Kind {
	switch {
	case e.Type != "blob":
		return trust.Other
	case e.Mode == "120000":
		return trust.Link
	case e.Mode == "100755":
		return trust.Program
	default:
		return trust.Plain
	}
}

// InDir finds the files that run code or steer agents in a worktree on disk.
func InDir(ctx context.Context, repo *git.Repo, dir string) (trust.Found, error) {
	return catalog.Trust().ScanDir(dir, func(name string) (bool, error) { return repo.Tracked(ctx, dir, name) })
}

// copiedFrom is what of a checkout is copied into worktrees.
func copiedFrom(ctx context.Context, repo *git.Repo, dir string, cfg config.Config) (trust.Found, error) {
	all, err := InDir(ctx, repo, dir)
	in := func(name string) bool {
		return slices.ContainsFunc(cfg.Worktree.Copy, func(c string) bool {
			c = path.Clean(c)
			return name == c || strings.HasPrefix(name, c+"/")
		})
	}
	all.Files = slices.DeleteFunc(all.Files, func(f trust.File) bool { return !in(f.Path) })
	all.Variables = slices.DeleteFunc(all.Variables, func(v trust.Variable) bool { return !in(v.Path) })
	return all, err
}

// met is what was met in the worktree of a session.
type met struct {
	dir   string
	found trust.Found
}

// metIn looks again where something was met that nobody had approved. A worktree
// that is gone holds nothing.
func metIn(ctx context.Context, p *projects.Project, repo *git.Repo) ([]met, error) {
	docs, err := projects.All[kedge.TrustFoundData](ctx, p, journal.KindUntrusted)
	if err != nil {
		return nil, err
	}
	var out []met
	for _, d := range docs {
		if found, err := InDir(ctx, repo, d.Dir); err == nil {
			out = append(out, met{dir: d.Dir, found: found})
		}
	}
	return out, nil
}

// RefuseUntrusted refuses to run code of a commit that has files which run code or steer
// agents, and which you did not approve: nobody sits there to be asked.
func RefuseUntrusted(ctx context.Context, p *projects.Project, repo *git.Repo, commit string) error {
	open, err := Unapproved(ctx, p, repo, commit)
	if err != nil {
		return err
	}
	return RefuseUnapproved(open)
}

// RefuseUnapproved gives the error of a run that would use unapproved files, or nil when
// there are none.
func RefuseUnapproved(open trust.Found) error {
	if open.None() {
		return nil
	}
	var what, next []string
	if n := len(open.Files); n > 0 {
		what = append(what, fmt.Sprintf("you have not approved these files of the repository, which run code or steer agents: %s", paths(open.Files)))
		next = append(next, "review the files: kedge approve; then approve them: kedge approve files@"+open.Hash()[:trust.Digits]+", or remove them from the repository")
	}
	for _, v := range open.Variables {
		what = append(what, fmt.Sprintf("the file %s contains the setting %s, and Kedge blocks this setting: %s", v.Path, v.Name, v.Why))
		next = append(next, "remove the setting "+v.Name+" from the file, or allow exactly its present value: kedge approve env:"+v.Name+"@"+v.SHA256[:trust.Digits])
	}
	return kedge.Errorf(kedge.Blocked, "%s", strings.Join(what, "; ")).WithHint("%s", strings.Join(next, "; "))
}

// paths lists the first files.
func paths(files []trust.File) string {
	const most = 5
	var out []string
	for _, f := range files[:min(most, len(files))] {
		out = append(out, f.Path)
	}
	text := strings.Join(out, ", ")
	if n := len(files) - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

// trustList is what the commit that is checked out brings along, and what was met in
// worktrees since.
func trustList(ctx context.Context, p *projects.Project, repo *git.Repo, out *FilterListReply) error {
	approved, err := Approvals(ctx, p)
	if err != nil {
		return err
	}
	head, err := repo.Head(ctx)
	if err != nil {
		return err
	}
	var all []met
	if !head.Unborn {
		found, err := Executables(ctx, p, repo, head.Commit)
		if err != nil {
			return err
		}
		all = append(all, met{found: found})
	}
	more, err := metIn(ctx, p, repo)
	if err != nil {
		return err
	}
	open := trust.Found{}
	for i, m := range append(all, more...) {
		if i >= len(all) {
			m.found = m.found.Without(approved)
		}
		out.show(m, approved)
		open = open.And(m.found.Without(approved))
	}
	if len(open.Files) > 0 {
		out.Hash = open.Hash()
	}
	return nil
}

// show adds what was found, once.
func (r *FilterListReply) show(m met, approved func(kedge.Trusted) bool) {
	for _, f := range m.found.Files {
		if !slices.ContainsFunc(r.Files, func(o TrustFile) bool { return o.Trusted() == f.Trusted() }) {
			r.Files = append(r.Files, TrustFile{File: f, Dir: m.dir, Approved: approved(f.Trusted())})
		}
	}
	for _, v := range m.found.Variables {
		if !slices.ContainsFunc(r.Variables, func(o TrustVariable) bool { return o.Trusted() == v.Trusted() }) {
			r.Variables = append(r.Variables, TrustVariable{Variable: v, Dir: m.dir, Approved: approved(v.Trusted())})
		}
	}
}

// checkTrust tells of what would keep a run from starting.
func (s *Maintenance) checkTrust(ctx context.Context, p *projects.Project) []kedge.Finding {
	if !p.Git || p.Store == nil {
		return nil
	}
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return nil // checkRepository tells it
	}
	if head, err := repo.Head(ctx); err != nil || head.Unborn {
		return nil
	}
	open, err := Unapproved(ctx, p, repo, "HEAD")
	if err == nil {
		err = RefuseUnapproved(open)
	}
	if err == nil {
		return nil
	}
	f := projects.FindingOf(p.Dir, err)
	if kedge.Invalid.Is(err) {
		if len(s.checkSettings(ctx, p)) > 0 {
			return nil // the mistake is in the file too, and told there
		}
		f.What, f.Fix = "in the last commit: "+f.What, "commit .kedge/config.toml: a run reads it as it is committed"
	}
	if kedge.Blocked.Is(err) {
		f.Level = kedge.LevelWarning
	}
	return []kedge.Finding{f}
}
