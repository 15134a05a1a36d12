package verify

import (
	"context"
	"fmt"
	"slices"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/core/brief"
	docs "kedge/internal/core/memory"
	"kedge/internal/git"
	"kedge/internal/journal"
	"kedge/internal/text/words"
)

// noteEvents writes down what a completed feature taught, as a run does. Work that would
// teach nothing, without a file, a check or a decision, has no note.
func (s *Verifier) noteEvents(ctx context.Context, p *projects.Project, who projects.Caller, l ledger.Snapshot, d journal.FeatureDoc, pr proof) ([]kedge.Event, error) {
	learned := brief.Learned{Feature: &d.Feature, At: s.home.Now(), Commits: pr.commits, Files: pr.files, Cause: l.PlannedCause(d.ID)}
	var err error
	if learned.Decisions, err = projects.All[kedge.Decision](ctx, p, journal.KindDecision); err != nil {
		return nil, err
	}
	if learned.Verdicts, err = journal.About[kedge.Evidence](ctx, p.Store, journal.KindEvidence, string(d.ID)); err != nil {
		return nil, err
	}
	if pr.evidence != nil {
		learned.Verdicts = append(learned.Verdicts, *pr.evidence)
	}
	n := brief.NoteOf(learned)
	n.ID = kedge.NoteID(kedge.NewID("not", learned.At))
	if len(docs.LintNote("", n)) > 0 || docs.CheckNote(n) != nil {
		return nil, nil //nolint:nilerr // a name that no note can have is no reason to refuse the work
	}
	return projects.One(projects.Event(kedge.NoteAdded, who, n))
}

// maxNoted is how many commits of one feature are looked for.
const maxNoted = 50

// commitsOf are the commits since the base, oldest first, where everything is committed:
// what they change together is what the tree changes.
func commitsOf(ctx context.Context, b base, tree string) ([]string, error) {
	if b.repo == nil || b.head == "" || b.rev == "" || tree == "" {
		return nil, nil
	}
	if clean, err := same(ctx, b.repo, b.head, tree); err != nil || !clean {
		return nil, err
	}
	list, err := b.repo.Recent(ctx, b.head, maxNoted)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, c := range list {
		if done, err := same(ctx, b.repo, b.rev, c.SHA); err != nil || done {
			slices.Reverse(out)
			return out, err
		}
		if len(c.Files) > 0 {
			out = append(out, c.SHA)
		}
	}
	return nil, nil // where it began is too far away
}

// same tells whether two revisions differ in nothing but what Kedge writes.
func same(ctx context.Context, repo *git.Repo, a, b string) (bool, error) {
	changes, err := repo.Diff(ctx, a, b)
	return !slices.ContainsFunc(changes, func(c git.Change) bool { return !kedge.IsOwnPath(c.Path) }), err
}

// lookAtCommits warns of commits that do not say what was done: work that ends with such a
// one does not end clean.
func (pr *proof) lookAtCommits(ctx context.Context, b base) error {
	for _, sha := range pr.commits {
		c, err := b.repo.ReadCommit(ctx, sha)
		if err != nil {
			return err
		}
		if !brief.Describes(c.Message) {
			pr.evidence.Verdict.Findings = append(pr.evidence.Verdict.Findings, kedge.Finding{
				Level: kedge.LevelWarning, What: fmt.Sprintf("the message of commit %q does not say what was done", words.FirstLine(c.Message)),
				Where: words.Hash(sha), Fix: "write a message that says it: " + reword(sha, b.head),
			})
		}
	}
	return nil
}

// reword is the command that changes the message of a commit: amending reaches the newest
// one alone.
func reword(sha, head string) string {
	if sha == head {
		return "git commit --amend"
	}
	return "git rebase -i " + words.Hash(sha) + "~1, then change \"pick\" to \"reword\" for this commit"
}
