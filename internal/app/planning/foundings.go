package planning

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/core/plan"
	"kedge/internal/git"
	"kedge/internal/journal"
	"kedge/internal/process/atomicfile"
)

// The approval of a plan is in the journal before the settings are written that the plan
// gives. A file beside the journal names the plan whose settings are due, from before the
// approval until they are written and committed: a daemon that dies in between leaves it,
// and the next run finishes the work. Settings that you remove later stay removed.
func (s *Planner) duePath(p *projects.Project) string {
	return filepath.Join(s.home.StateDir(p.ID), "founding")
}

func (s *Planner) keepDue(p *projects.Project, id kedge.PlanID) error {
	if err := atomicfile.Write(s.duePath(p), []byte(id), 0o600); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot prepare the settings of plan %q: %w", id, err)
	}
	return nil
}

func (s *Planner) due(p *projects.Project) (kedge.PlanID, error) {
	b, err := os.ReadFile(s.duePath(p))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", kedge.Errorf(kedge.Internal, "cannot find out whether Kedge has written the settings of the approved plan: %w", err)
	}
	return kedge.PlanID(strings.TrimSpace(string(b))), nil
}

// notDue forgets the plan: its settings are there.
func (s *Planner) notDue(p *projects.Project, id kedge.PlanID) error {
	if now, err := s.due(p); err != nil || now != id || id == "" {
		return err
	}
	if err := os.Remove(s.duePath(p)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return kedge.Errorf(kedge.Internal, "cannot delete a temporary file for the settings of plan %q: %w", id, err)
	}
	return nil
}

// FinishFounding writes and commits the settings of an approved plan, where the daemon
// died between the approval and that.
func (s *Planner) FinishFounding(ctx context.Context, p *projects.Project, who projects.Caller) error {
	if id, err := s.due(p); err != nil || id == "" {
		return err
	}
	author, err := s.author(ctx, who)
	if err != nil {
		return err
	}
	data, err := s.writeDue(ctx, p)
	if err != nil || data.ID == "" {
		return err
	}
	if err := s.commitSettings(ctx, p, author, data); err != nil {
		return err
	}
	return s.notDue(p, data.ID)
}

// writeDue writes the settings that are due; no plan: none are. It holds the project's
// lock, so that it does not see an approval that is only half there.
func (s *Planner) writeDue(ctx context.Context, p *projects.Project) (kedge.PlanData, error) {
	p.Writing.Lock()
	defer p.Writing.Unlock()
	id, err := s.due(p)
	if err != nil || id == "" {
		return kedge.PlanData{}, err
	}
	data, ok, err := journal.Get[kedge.PlanData](ctx, p.Store, journal.KindPlan, string(id))
	if err != nil {
		return kedge.PlanData{}, err
	}
	if !ok || data.Status != kedge.PlanApproved && data.Status != kedge.PlanDone {
		return kedge.PlanData{}, s.notDue(p, id) // the approval itself never was
	}
	_, err = s.found(p, data)
	return data, err
}

// commitSettings commits the settings; they may have been written before the daemon died.
func (s *Planner) commitSettings(ctx context.Context, p *projects.Project, author *git.Person, data kedge.PlanData) error {
	if author == nil {
		return nil
	}
	r, err := s.home.Git(ctx, p)
	if err != nil {
		return err
	}
	paths, err := s.dueFiles(p, data)
	if err != nil || len(paths) == 0 {
		return err
	}
	_, err = r.CommitPaths(ctx, git.CommitPathsRequest{
		Paths: paths, Message: "kedge: the settings of the plan \"" + data.Title + "\"\n\nKedge-Plan: " + string(data.ID), Date: s.home.Now(), Author: *author,
	})
	return err
}

// dueFiles are the settings that a plan gives, while they are due: they may be written
// already, and not be committed.
func (s *Planner) dueFiles(p *projects.Project, data kedge.PlanData) ([]string, error) {
	if id, err := s.due(p); err != nil || id != data.ID {
		return nil, err
	}
	doc, err := plan.ParsePlan(kedge.PlanFile, []byte(data.Text))
	if err != nil {
		return nil, err
	}
	var out []string
	f, _ := plan.FoundingOf(doc.Plan)
	if len(f.Checks) > 0 {
		out = append(out, kedge.GateFile)
	}
	if f.Setup != "" {
		out = append(out, kedge.ConfigFile)
	}
	return slices.DeleteFunc(out, func(file string) bool { _, there, err := p.Read(file); return err == nil && !there }), nil
}
