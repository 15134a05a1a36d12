package maintenance

import (
	"context"
	"strings"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/git"
)

// FilterListRequest asks for the git filters of the repository, and for its files that
// run code or steer agents. Only you may approve them.
type FilterListRequest struct{}

// FilterListReply lists them, and which of them are approved. Hash names all unapproved
// files; it is empty when there are none.
type FilterListReply struct {
	Filters   []git.Filter    `json:"filters"`
	Files     []TrustFile     `json:"files"`
	Variables []TrustVariable `json:"variables"`
	Hash      string          `json:"hash"`
}

// FilterList lists what can be approved, and what is.
func (s *Maintenance) FilterList(ctx context.Context, who projects.Caller, _ FilterListRequest) (FilterListReply, error) {
	p, repo, err := s.home.Repository(ctx, who)
	if err != nil {
		return FilterListReply{}, err
	}
	out := FilterListReply{Files: []TrustFile{}, Variables: []TrustVariable{}}
	if out.Filters, err = repo.Filters(ctx); err != nil {
		return out, err
	}
	return out, trustList(ctx, p, repo, &out)
}

// FilterApproveRequest approves one filter. Hash is the beginning of the hash of the
// commands that you saw: if they change meanwhile, the approval fails.
type FilterApproveRequest struct {
	Name string `json:"name"`
	Hash string `json:"hash"`
}

// FilterApproveReply is the approval as the journal has it.
type FilterApproveReply struct {
	Filter kedge.FilterApprovedData `json:"filter"`
}

// FilterApprove lets Kedge run a git filter with exactly its present commands. Agents
// may not approve.
func (s *Maintenance) FilterApprove(ctx context.Context, who projects.Caller, in FilterApproveRequest) (FilterApproveReply, error) {
	if who.IsAgent() {
		id, _ := who.Session()
		return FilterApproveReply{}, kedge.Errorf(kedge.Blocked, "this is session %q, and agents may not approve a git filter", id).
			WithHint("ask the user to run: kedge approve filter:%s@%s", in.Name, in.Hash)
	}
	p, repo, err := s.home.Repository(ctx, who)
	if err != nil {
		return FilterApproveReply{}, err
	}
	evs, err := s.home.Write(ctx, p, who, func() ([]kedge.Event, error) {
		f, err := findFilter(ctx, repo, in)
		if err != nil {
			return nil, err
		}
		return projects.One(projects.Event(kedge.FilterApproved, who, kedge.FilterApprovedData{Name: f.Name, Hash: f.Hash}))
	})
	if err != nil {
		return FilterApproveReply{}, err
	}
	d, err := projects.Data[kedge.FilterApprovedData](evs[0])
	return FilterApproveReply{Filter: d}, err
}

func findFilter(ctx context.Context, repo *git.Repo, in FilterApproveRequest) (git.Filter, error) {
	if len(in.Hash) < git.FilterDigits {
		return git.Filter{}, kedge.Errorf(kedge.Invalid, "the hash %q of the git filter is too short: give at least its first %d digits", in.Hash, git.FilterDigits).
			WithHint("see the filter's hash: kedge approve")
	}
	list, err := repo.Filters(ctx)
	if err != nil {
		return git.Filter{}, err
	}
	for _, f := range list {
		if f.Name != in.Name {
			continue
		}
		if !strings.HasPrefix(f.Hash, in.Hash) {
			return f, kedge.Errorf(kedge.Conflict, "%[2]q is not the current hash of the git filter %[1]q: its commands have changed, or the hash is mistyped", in.Name, in.Hash).WithHint("see the current commands and their hash: kedge approve")
		}
		return f, nil
	}
	return git.Filter{}, kedge.Errorf(kedge.NotFound, "git has no filter called %q in this repository", in.Name).WithHint("see the filters that need your approval: kedge approve")
}
