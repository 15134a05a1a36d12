package maintenance

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/git"
	"kedge/internal/journal"
)

// ProjectListRequest asks for every project that Kedge knows.
type ProjectListRequest struct{}

// ProjectListReply is `project ls --json`.
type ProjectListReply struct {
	Projects []ProjectInfo `json:"projects"`
}

// ProjectState tells whether a project's folder still exists.
type ProjectState string

// The states of a project.
const (
	ProjectPresent ProjectState = "present"
	ProjectGone    ProjectState = "gone"    // its folder is not where it was, or has another id
	ProjectDamaged ProjectState = "damaged" // its journal does not open or takes no more events
)

// ProjectInfo is one project of the list. Dir is the folder in which it was last written
// to.
type ProjectInfo struct {
	kedge.Project
	State   ProjectState `json:"state"`
	Problem string       `json:"problem"` // of a damaged one
	Events  int64        `json:"events"`
	Bytes   int64        `json:"bytes"` // of its state, not of the repository
}

// ProjectList lists the projects by name, damaged ones included.
func (s *Maintenance) ProjectList(ctx context.Context, who projects.Caller, _ ProjectListRequest) (ProjectListReply, error) {
	r := ProjectListReply{Projects: []ProjectInfo{}}
	ids, err := s.home.IDs()
	if err != nil {
		return r, err
	}
	for _, id := range ids {
		info := s.projectInfo(ctx, id)
		if here := git.MainFolder(who.Dir); info.State == ProjectGone && git.IsProject(here, id) {
			info.State, info.Dir = ProjectPresent, here // moved, and nothing was written since
		}
		r.Projects = append(r.Projects, info)
	}
	slices.SortFunc(r.Projects, func(a, b ProjectInfo) int {
		if c := strings.Compare(a.Name, b.Name); c != 0 {
			return c
		}
		return strings.Compare(string(a.ID), string(b.ID))
	})
	return r, ctx.Err()
}

func (s *Maintenance) projectInfo(ctx context.Context, id kedge.ProjectID) ProjectInfo {
	info := ProjectInfo{Project: kedge.Project{ID: id}, State: ProjectGone, Bytes: folderSize(s.home.StateDir(id))}
	o, err := s.home.Opened(id)
	if err == nil {
		info.Project, err = projects.Known(ctx, o.Store, id)
	}
	if err == nil {
		info.Events, err = o.Store.Last(ctx)
	}
	if err == nil {
		err = o.Store.Refusal()
	}
	if err != nil {
		info.State, info.Problem = ProjectDamaged, err.Error()
		return info
	}
	if git.IsProject(info.Dir, id) {
		info.State = ProjectPresent
	}
	return info
}

// ProjectRemoveRequest asks to forget a project, named by id, name or folder.
type ProjectRemoveRequest struct {
	Project string `json:"project"`
}

// ProjectRemoveReply says where the state of the removed project is now.
type ProjectRemoveReply struct {
	Project kedge.Project `json:"project"`
	MovedTo string        `json:"moved_to"`
}

// ProjectRemove makes Kedge forget a project. It moves the whole state folder to the
// attic's trash and leaves the repository alone, including its id. Moving the folder
// back undoes it.
func (s *Maintenance) ProjectRemove(ctx context.Context, who projects.Caller, in ProjectRemoveRequest) (ProjectRemoveReply, error) {
	if s.home.ReadOnly {
		return ProjectRemoveReply{}, projects.ErrReadOnly()
	}
	if who.IsAgent() {
		id, _ := who.Session()
		return ProjectRemoveReply{}, kedge.Errorf(kedge.Blocked, "this is session %q, and agents may not remove a project", id).
			WithHint("ask the user to run: kedge project rm %s", in.Project)
	}
	if r, ok := s.removedBefore(ctx, who); ok {
		return r, nil
	}
	info, err := s.findProject(ctx, in.Project)
	if err != nil {
		return ProjectRemoveReply{}, err
	}
	r := ProjectRemoveReply{Project: info.Project, MovedTo: s.trashDir(info.ID, who.Key)}
	return r, s.forget(ctx, who, info, r.MovedTo)
}

// trashDir names the place by the request, so that a retry finds what it did.
func (s *Maintenance) trashDir(id kedge.ProjectID, key string) string {
	return filepath.Join(s.home.Dir, "attic", "trash", string(id)+"."+key)
}

// removedBefore answers a request that was carried out before.
func (s *Maintenance) removedBefore(ctx context.Context, who projects.Caller) (ProjectRemoveReply, bool) {
	entries, err := os.ReadDir(filepath.Join(s.home.Dir, "attic", "trash"))
	if err != nil || who.Key == "" {
		return ProjectRemoveReply{}, false
	}
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), "."+who.Key)
		if !ok || !kedge.ValidID("prj", id) {
			continue
		}
		dir := s.trashDir(kedge.ProjectID(id), who.Key)
		r := ProjectRemoveReply{Project: kedge.Project{ID: kedge.ProjectID(id)}, MovedTo: dir}
		if p, err := projectIn(ctx, dir, r.Project.ID); err == nil {
			r.Project = p
		}
		return r, true
	}
	return ProjectRemoveReply{}, false
}

// projectIn reads the project of a state folder that nobody uses.
func projectIn(ctx context.Context, dir string, id kedge.ProjectID) (kedge.Project, error) {
	st, err := journal.Open(dir, journal.Options{ReadOnly: true})
	if err != nil {
		return kedge.Project{}, err
	}
	defer func() { _ = st.Close() }() // nothing was written
	return projects.Known(ctx, st, id)
}

// findProject finds a project by id, else by folder, else by its name when only
// one has it.
func (s *Maintenance) findProject(ctx context.Context, name string) (ProjectInfo, error) {
	list, err := s.ProjectList(ctx, projects.Caller{}, ProjectListRequest{})
	if err != nil {
		return ProjectInfo{}, err
	}
	var named []ProjectInfo
	for _, p := range list.Projects {
		if string(p.ID) == name || filepath.IsAbs(name) && p.Dir == filepath.Clean(name) {
			return p, nil
		}
		if p.Name == name && name != "" {
			named = append(named, p)
		}
	}
	switch len(named) {
	case 1:
		return named[0], nil
	case 0:
		return ProjectInfo{}, kedge.Errorf(kedge.NotFound, "there is no project %q", name).WithHint("see the projects and their ids: kedge project ls")
	default:
		return ProjectInfo{}, kedge.Errorf(kedge.Conflict, "%d projects are called %q", len(named), name).
			WithHint("see their folders and ids: kedge project ls; then name one by its id, as in: kedge project rm %s", named[0].ID)
	}
}

// forget moves the project's state away; a run that works or a living session is a
// reason to refuse.
func (s *Maintenance) forget(ctx context.Context, who projects.Caller, info ProjectInfo, to string) error {
	if o, err := s.home.Opened(info.ID); err == nil {
		p := &projects.Project{Project: info.Project, Opened: o}
		p.Writing.Lock()
		defer p.Writing.Unlock()
		if err := s.refuseBusy(ctx, who, p, info); err != nil && (kedge.Conflict.Is(err) || info.State != ProjectDamaged) {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot make the folder for removed projects: %w", err)
	}
	return s.home.Forget(info.ID, to)
}

// refuseBusy names what goes on in a project, and what ends it from where the caller is.
func (s *Maintenance) refuseBusy(ctx context.Context, who projects.Caller, p *projects.Project, info ProjectInfo) error {
	in := ""
	if who.Dir != info.Dir && !strings.HasPrefix(who.Dir, info.Dir+string(filepath.Separator)) {
		in = "KEDGE_PROJECT=" + git.Quoted(info.Dir) + " "
	}
	run, err := s.work.Going(ctx, p)
	if err != nil {
		return err
	}
	if run != "" {
		return kedge.Errorf(kedge.Conflict, "run %q of project %q is still working, so Kedge removed nothing", run, info.title()).WithHint("stop the run, then repeat your command: %skedge run --stop", in)
	}
	living, err := s.work.Living(ctx, p)
	if err != nil {
		return err
	}
	if len(living) > 0 {
		return kedge.Errorf(kedge.Conflict, "session %q of project %q is still running, so Kedge removed nothing", living[0].Name, info.title()).
			WithHint("end the session, then repeat your command: %skedge kill %s", in, living[0].Name)
	}
	return nil
}

// title names the project for people.
func (i ProjectInfo) title() string {
	if i.Name != "" {
		return i.Name
	}
	return string(i.ID)
}
