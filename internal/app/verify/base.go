package verify

import (
	"context"
	"encoding/json"
	"slices"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/git"
	"kedge/internal/journal"
)

// base is what work is measured from. In a plain folder there is no repository
// and nothing to measure from.
type base struct {
	repo  *git.Repo
	head  string   // HEAD; empty before the first commit
	rev   string   // a commit or a tree; empty: nothing existed before
	since []string // more revisions for the findings
	lost  string   // why rev is not what it should be
}

// headBase measures from HEAD: what a person asks for by hand.
func (s *Verifier) headBase(ctx context.Context, p *projects.Project) (base, error) {
	if !p.Git {
		return base{}, nil
	}
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return base{}, err
	}
	head, err := repo.Head(ctx)
	return base{repo: repo, head: head.Commit, rev: head.Commit}, err
}

// heldBase measures from what an agent cannot move: the tree that was anchored
// last, else the commit that init made, else HEAD. A commit hides nothing from
// it. What changed since HEAD, and since a person last asked for a verdict, is
// looked at too: tests that are newer than the base count as well.
func (s *Verifier) heldBase(ctx context.Context, p *projects.Project) (base, error) {
	b, err := s.headBase(ctx, p)
	if err != nil || b.repo == nil {
		return b, err
	}
	evidence, err := projects.All[kedge.Evidence](ctx, p, journal.KindEvidence)
	if err != nil {
		return b, err
	}
	held, err := s.heldRevs(ctx, p, evidence)
	if err != nil {
		return b, err
	}
	for i, rev := range held {
		if ok, err := has(ctx, b.repo, rev); err != nil {
			return b, err
		} else if ok {
			b.rev = rev
			break
		}
		if i == 0 {
			b.lost = rev
		}
	}
	return b, b.alsoSince(ctx, b.head, lastAsked(evidence))
}

// heldRevs lists what could be the base, the best first.
func (s *Verifier) heldRevs(ctx context.Context, p *projects.Project, evidence []kedge.Evidence) ([]string, error) {
	l, err := ledger.ReadSnapshot(ctx, p)
	if err != nil {
		return nil, err
	}
	completed := map[kedge.EvidenceID]bool{}
	for _, d := range l.Docs {
		if d.Status == kedge.Completed && d.Evidence != nil {
			completed[*d.Evidence] = true
		}
	}
	var revs []string
	for _, ev := range slices.Backward(evidence) {
		if (ev.Anchor || completed[ev.ID]) && ProvesAll(ev.Verdict) {
			revs = append(revs, ev.Verdict.Tree)
		}
	}
	made, err := initCommit(ctx, p)
	if made != "" {
		revs = append(revs, made)
	}
	return revs, err
}

// ProvesAll tells whether a verdict is green, complete, and about a tree that still
// exists.
func ProvesAll(v kedge.Verdict) bool { return v.Green() && !v.Partial && v.Tree != "" }

// lastAsked is the tree that a person last had judged, whatever the verdict.
func lastAsked(evidence []kedge.Evidence) string {
	for _, ev := range slices.Backward(evidence) {
		if ev.By.IsHuman() && ev.Verdict.Tree != "" {
			return ev.Verdict.Tree
		}
	}
	return ""
}

// alsoSince adds revisions that the repository has and that say something new.
func (b *base) alsoSince(ctx context.Context, revs ...string) error {
	for _, rev := range revs {
		if rev == "" || rev == b.rev || slices.Contains(b.since, rev) {
			continue
		}
		ok, err := has(ctx, b.repo, rev)
		if err != nil {
			return err
		}
		if ok {
			b.since = append(b.since, rev)
		}
	}
	return nil
}

// has tells whether the repository holds a revision's tree.
func has(ctx context.Context, repo *git.Repo, rev string) (bool, error) {
	_, err := repo.TreeOf(ctx, rev)
	if kedge.NotFound.Is(err) {
		return false, nil
	}
	return err == nil, err
}

// initCommit is the commit that a person's init made; empty when there is none.
// One that is made while Kedge is set up already repairs a file and vouches for
// nothing else.
func initCommit(ctx context.Context, p *projects.Project) (string, error) {
	commit := ""
	for ev, err := range p.Store.Since(ctx, 0) {
		if err != nil {
			return "", err
		}
		if ev.Type == kedge.InitRemoved {
			commit = ""
		}
		if ev.Type != kedge.InitFinished || commit != "" || ev.Actor.IsAgent() {
			continue
		}
		var data kedge.InitData
		if err := json.Unmarshal(ev.Data, &data); err != nil {
			return "", kedge.Errorf(kedge.Internal, "cannot read event %d in Kedge's journal of this project: %w", ev.Seq, err).WithHint("see what is wrong: kedge doctor")
		}
		commit = data.Commit
	}
	return commit, nil
}

// findings says it when the work was measured from less than it should be.
func (b base) findings() []kedge.Finding {
	if b.lost == "" {
		return nil
	}
	from := b.rev
	if from == b.head {
		from = "HEAD"
	}
	return []kedge.Finding{{
		Level: kedge.LevelWarning,
		What:  "git no longer has the files that Kedge verified last, so Kedge compares with " + from,
		Where: b.lost, Fix: "review the changes (git diff), then run outside a session: kedge gate --all",
	}}
}

// anchorRef keeps the tree that was anchored last from being collected by git.
const anchorRef = "refs/kedge/anchor"

// keepAnchor points anchorRef at a tree that was just anchored. That it cannot
// is no error: the fact is in the journal, and a tree that is gone is told.
func (s *Verifier) keepAnchor(ctx context.Context, p *projects.Project, evs []kedge.Event) {
	ev, err := projects.DataOf[kedge.Evidence](evs, kedge.GateFinished)
	if err != nil || !ev.Anchor {
		return
	}
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return
	}
	old, err := repo.Resolve(ctx, anchorRef)
	if err == nil || kedge.NotFound.Is(err) {
		err = repo.UpdateRef(ctx, anchorRef, ev.Verdict.Tree, old)
	}
	if err != nil {
		s.home.Log.WarnContext(ctx, "cannot save which files Kedge verified last", "project", p.ID, "error", err.Error())
	}
}
