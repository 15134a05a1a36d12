package supply

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"kedge"
	"kedge/internal/agents/trust"
	"kedge/internal/app/maintenance"
	"kedge/internal/app/projects"
	"kedge/internal/core/review"
	"kedge/internal/core/run"
	"kedge/internal/journal"
)

// Trusted looks at a worktree before a session starts in it: files that git ignores
// outlive a feature there, and a session may have written any. What is found is
// written down, so that people see it where they approve.
func (l approvals) Trusted(ctx context.Context, c run.Command, dir string, after kedge.SessionID) error {
	approved, err := maintenance.Approvals(ctx, l.p)
	if err != nil {
		return err
	}
	repo, err := l.s.home.Git(ctx, l.p)
	if err != nil {
		return err
	}
	found, err := maintenance.InDir(ctx, repo, dir)
	if err != nil {
		return err
	}
	open := found.Without(approved)
	if open.None() {
		return nil
	}
	data := kedge.TrustFoundData{Dir: dir, Run: c.Run, Feature: c.Feature, After: after, Items: open.Items()}
	if err := l.add(ctx, runKey(c, "untrusted"), kedge.ActorDaemon, kedge.TrustFound, data); err != nil {
		return err
	}
	return maintenance.RefuseUnapproved(open)
}

// Brings looks at what the work of a command adds or changes of what programs run or
// obey by themselves: a person who has it checked out would run it without knowing. What
// was found besides waits too, unless this very content was approved for this work.
func (l approvals) Brings(ctx context.Context, c run.Command, tree string, found []kedge.Finding) ([]kedge.Trusted, string, error) {
	items, text, err := l.brought(ctx, c, tree)
	if err != nil || len(found) == 0 {
		return items, text, err
	}
	repo, err := l.s.home.Git(ctx, l.p)
	if err != nil {
		return nil, "", err
	}
	w := maintenance.Done{Run: c.Run, Feature: c.Feature, Base: c.Base, Tree: tree}
	more, waits, err := maintenance.Waiting(ctx, l.p, repo, w, found)
	if err != nil {
		return nil, "", err
	}
	waits = slices.DeleteFunc(waits, func(f kedge.Finding) bool { // it is named already
		return slices.ContainsFunc(items, func(t kedge.Trusted) bool { return t.Path == f.Where })
	})
	if why := review.Reason(waits); why != "" && text != "" {
		text += "; " + why
	} else if why != "" {
		text = why
	}
	return append(items, more...), text, nil
}

func (l approvals) brought(ctx context.Context, c run.Command, tree string) ([]kedge.Trusted, string, error) {
	repo, err := l.s.home.Git(ctx, l.p)
	if err != nil {
		return nil, "", err
	}
	found, err := maintenance.Brought(ctx, l.p, repo, maintenance.Done{Run: c.Run, Feature: c.Feature, Base: c.Base, Tree: tree})
	switch {
	case kedge.Blocked.Is(err): // it cannot be known what it brings
		return nil, err.Error(), nil
	case err != nil || found.None():
		return nil, "", err
	}
	return found.Items(), broughtWords(found), nil
}

// broughtWords names what work brings, who heeds it, and what it runs.
func broughtWords(found trust.Found) string {
	var parts []string
	for _, f := range found.Files {
		text := f.Path + " (" + f.Who
		if f.Exec {
			text += ", executable"
		}
		if len(f.Runs) > 0 {
			text += ", runs: " + strings.Join(f.Runs, ", ")
		}
		parts = append(parts, text+")")
	}
	text := ""
	if n := len(parts) - shownBrought; n > 0 {
		parts = append(parts[:shownBrought], strconv.Itoa(n)+" more")
	}
	if len(parts) > 0 {
		text = "it has files that run code or steer agents: " + strings.Join(parts, ", ")
	}
	for i, v := range found.Variables {
		if i == shownBrought {
			break
		}
		if text != "" {
			text += "; "
		}
		text += v.Path + " sets " + v.Name + ": " + v.Why
	}
	return text
}

// shownBrought is how many of them are named.
const shownBrought = 10

// ApproveBrought lets agents heed the files that work brings which a person said yes to:
// the content that was looked at, and no other. Variables that are blocked stay so:
// each has its own approval.
func (s *Supply) ApproveBrought(ctx context.Context, p *projects.Project, who projects.Caller, id kedge.RunID, feature kedge.FeatureID) error {
	looks, err := journal.About[kedge.Inspection](ctx, p.Store, journal.KindInspection, string(feature))
	if err != nil {
		return err
	}
	var last kedge.Inspection
	for _, in := range looks {
		if in.Run == id && !in.At.Before(last.At) {
			last = in
		}
	}
	files := slices.DeleteFunc(slices.Clone(last.Brings), func(t kedge.Trusted) bool { return t.Name != "" })
	if len(files) == 0 {
		return nil
	}
	if who.Key != "" {
		who.Key += "/trust" // another fact than the one the request is known by
	}
	_, err = s.home.Write(ctx, p, who, func() ([]kedge.Event, error) {
		return projects.One(projects.Event(kedge.TrustApproved, who, kedge.TrustApprovedData{Items: files, Run: id, Feature: feature}))
	})
	return err
}
