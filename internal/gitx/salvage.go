package gitx

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"kedge"
	"kedge/internal/gitx/attic"
	"kedge/internal/plain"
)

// salvageRefs is where salvage is kept. Nothing ever pushes it.
const salvageRefs = "refs/kedge/salvage/"

// atticSize is from which size on a file goes to the attic instead of into git.
const atticSize = 50 << 20

// SalvageRequest asks for everything in a work tree that is in no commit to be
// set aside. Attic is the project's attic folder; what cannot go into a commit
// is moved into its subfolder ID.
type SalvageRequest struct {
	Dir    string // root of the work tree; empty is this one
	ID     kedge.SalvageID
	Reason string
	Attic  string
	Date   time.Time
	// Since is a commit that HEAD was at: what was committed from there on, and
	// is on no ref, is set aside too. Empty: HEAD.
	Since string
}

// Salvage sets aside what a reset would lose: tracked and untracked files, and
// the index where it differs from HEAD, go into a commit under
// refs/kedge/salvage/; files over 50 MB, nested repositories, files behind a
// filter and files that git cannot hold are moved to the attic. Ignored files
// stay. Files in the commit stay in the work tree too, so that its tree is then
// the salvage's; ResetWorktree takes it as proof.
//
// The same request made again finishes what was begun. A clean work tree gives
// a Salvage without a Ref.
func (r *Repo) Salvage(ctx context.Context, q SalvageRequest) (kedge.Salvage, error) {
	if !kedge.ValidID("sal", string(q.ID)) {
		return kedge.Salvage{}, kedge.Errorf(kedge.Invalid, "%q is not a salvage id", q.ID)
	}
	w, err := r.at(ctx, q.Dir)
	if err != nil {
		return kedge.Salvage{}, err
	}
	a := attic.Attic{Dir: filepath.Join(q.Attic, string(q.ID))}
	var out kedge.Salvage
	err = r.exclusively(ctx, func(ctx context.Context) error {
		done, ok, err := r.salvage(ctx, q.ID)
		if err != nil {
			return err
		}
		if !ok {
			done, err = w.saveNew(ctx, q, a)
		}
		if err != nil || done.Ref == "" {
			out = done
			return err
		}
		out = done
		return a.TakeIn(w.root, done.Attic)
	})
	return out, err
}

func (r *Repo) saveNew(ctx context.Context, q SalvageRequest, a attic.Attic) (kedge.Salvage, error) {
	var out kedge.Salvage
	err := r.withScratch(ctx, func(s *scratch) error {
		h, err := r.Head(ctx)
		if err != nil {
			return err
		}
		out = kedge.Salvage{ID: q.ID, Base: h.Commit, Reason: oneLine(q.Reason), At: q.Date, Attic: []string{}}
		own, err := r.ownCommits(ctx, h, q.Since)
		if err != nil {
			return err
		}
		if own {
			out.Base = q.Since
		}
		staged, err := r.stagedTree(ctx)
		if err != nil {
			return err
		}
		things, err := s.salvageTree(ctx, &out)
		if err != nil {
			return err
		}
		base, err := r.baseTree(ctx, h.Commit)
		if err != nil {
			return err
		}
		if staged == base {
			staged = ""
		}
		if out.Tree == base && staged == "" && len(things) == 0 && !own {
			return nil
		}
		if err := s.count(ctx, &out); err != nil {
			return err
		}
		if err := a.Plan(out.ID, r.root, things); err != nil {
			return err
		}
		return r.keep(ctx, staged, &out, h.Commit)
	})
	return out, err
}

// ownCommits tells whether HEAD has moved on from a commit to ones that no ref
// but its own branch holds.
func (r *Repo) ownCommits(ctx context.Context, h Head, since string) (bool, error) {
	if since == "" || h.Unborn || h.Commit == since {
		return false, nil
	}
	kept, err := r.keptBy(ctx, h.Commit, h.Branch)
	return len(kept) == 0, err
}

func (r *Repo) baseTree(ctx context.Context, commit string) (string, error) {
	if commit == "" {
		return r.emptyTree(ctx)
	}
	return r.TreeOf(ctx, commit)
}

// stagedTree is the user's index as a tree; paths in conflict are left out,
// since their versions are in commits.
func (r *Repo) stagedTree(ctx context.Context) (string, error) {
	var tree string
	err := r.withScratch(ctx, func(s *scratch) (err error) {
		if err := s.useTracked(ctx); err != nil {
			return err
		}
		out, err := s.git(ctx, nil, "ls-files", "-u", "-z")
		if err != nil {
			return err
		}
		var unmerged []string
		for _, line := range fields(out) {
			_, path, _ := strings.Cut(line, "\t")
			unmerged = append(unmerged, path)
		}
		if _, err := s.list(ctx, slices.Compact(unmerged), "update-index", "--force-remove", "-z", "--stdin"); err != nil {
			return err
		}
		tree, err = s.tree(ctx)
		return err
	})
	return tree, err
}

// salvageTree writes the tree of what goes into the commit, and gives the things
// that go to the attic. Those are not in the tree, even where an older version
// was: so it is the tree of what stays in the folder.
func (s *scratch) salvageTree(ctx context.Context, out *kedge.Salvage) ([]attic.Thing, error) {
	c, err := s.differences(ctx)
	if err != nil {
		return nil, err
	}
	things, rest, err := s.sort(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := s.add(ctx, rest); err != nil {
		return nil, err
	}
	var away []string
	for _, t := range things {
		out.Attic = append(out.Attic, t.Path)
		if storable(t.Path) {
			away = append(away, t.Path)
		}
	}
	if _, err := s.list(ctx, away, "update-index", "--force-remove", "-z", "--stdin"); err != nil {
		return nil, err
	}
	out.Tree, err = s.tree(ctx)
	return things, err
}

// sort decides which paths go to the attic and which into the commit.
func (s *scratch) sort(ctx context.Context, c changes) (things []attic.Thing, rest []string, err error) {
	filters, err := s.filtered(ctx, c.paths(), false)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range s.foreign(c.nested) {
		things = append(things, attic.Thing{Path: p, Kind: attic.Repository})
	}
	for _, p := range c.paths() {
		fi, err := os.Lstat(filepath.Join(s.r.root, p))
		_, behind := filters[p]
		switch {
		case err != nil || fi.IsDir():
			rest = append(rest, p)
		case !storable(p):
			things = append(things, attic.Thing{Path: p, Kind: attic.Odd, Size: fi.Size()})
		case behind:
			things = append(things, attic.Thing{Path: p, Kind: attic.Filtered, Size: fi.Size()})
		case fi.Mode().IsRegular() && fi.Size() > atticSize:
			things = append(things, attic.Thing{Path: p, Kind: attic.Big, Size: fi.Size()})
		default:
			rest = append(rest, p)
		}
	}
	slices.SortFunc(things, func(a, b attic.Thing) int { return strings.Compare(a.Path, b.Path) })
	return things, rest, nil
}

// foreign leaves out the nested folders that are worktrees of this repository:
// they are somebody's place of work, and no reset touches them.
func (s *scratch) foreign(nested []string) []string {
	var out []string
	for _, p := range nested {
		if !s.r.isWorktree(filepath.Join(s.r.root, p)) {
			out = append(out, p)
		}
	}
	return out
}

// isWorktree tells whether a folder is a worktree of this repository. Git writes
// where its git dir is as an absolute path or a relative one.
func (r *Repo) isWorktree(dir string) bool {
	b, err := os.ReadFile(filepath.Join(dir, ".git"))
	gitdir, ok := strings.CutPrefix(strings.TrimSpace(string(b)), "gitdir: ")
	if err != nil || !ok {
		return false
	}
	if !filepath.IsAbs(gitdir) {
		gitdir = filepath.Join(dir, gitdir)
	}
	if real, err := filepath.EvalSymlinks(gitdir); err == nil {
		gitdir = real
	}
	return filepath.Dir(gitdir) == filepath.Join(r.common, "worktrees")
}

// count says how many paths the salvage holds.
func (s *scratch) count(ctx context.Context, out *kedge.Salvage) error {
	base, err := s.r.baseTree(ctx, out.Base)
	if err != nil {
		return err
	}
	diff, err := s.r.Diff(ctx, base, out.Tree)
	if err != nil {
		return err
	}
	paths := map[string]bool{}
	for _, c := range diff {
		paths[c.Path] = true
	}
	for _, p := range out.Attic {
		paths[p] = true
	}
	out.Files = len(paths)
	return nil
}

// keep makes the commit and its ref. A staged tree becomes a second commit that
// it has as a parent; so does a commit that is not to be lost.
func (r *Repo) keep(ctx context.Context, staged string, out *kedge.Salvage, also ...string) error {
	q := CommitRequest{Tree: out.Tree, Date: out.At, Author: Kedge}
	for _, p := range append([]string{out.Base}, also...) {
		if p != "" && !slices.Contains(q.Parents, p) {
			q.Parents = append(q.Parents, p)
		}
	}
	index := ""
	if staged != "" {
		i := q
		i.Tree, i.Message = staged, "the index of salvage "+string(out.ID)
		var err error
		if index, err = r.Commit(ctx, i); err != nil {
			return err
		}
		q.Parents = append(q.Parents, index)
	}
	q.Message = salvageMessage(*out, index)
	sha, err := r.Commit(ctx, q)
	if err != nil {
		return err
	}
	out.Commit, out.Ref = sha, salvageRefs+string(out.ID)
	return r.moveRef(ctx, out.Ref, sha, "")
}

func oneLine(s string) string {
	s = strings.Join(strings.Fields(plain.Line(s)), " ")
	if r := []rune(s); len(r) > 200 {
		s = string(r[:200])
	}
	if s == "" {
		return "no reason given"
	}
	return s
}

// salvageMessage says everything about a salvage in the commit itself, so that
// it can be restored with nothing but the repository and the attic.
func salvageMessage(s kedge.Salvage, index string) string {
	var b strings.Builder
	b.WriteString("salvage: " + s.Reason + "\n\nKedge-Salvage: " + string(s.ID) + "\n")
	if s.Base != "" {
		b.WriteString("Kedge-Base: " + s.Base + "\n")
	}
	if index != "" {
		b.WriteString("Kedge-Index: " + index + "\n")
	}
	b.WriteString("Kedge-Files: " + strconv.Itoa(s.Files) + "\n")
	for _, p := range s.Attic {
		b.WriteString("Kedge-Attic: " + strconv.Quote(p) + "\n")
	}
	return b.String()
}

// saved is a salvage with what only its commit knows.
type saved struct {
	kedge.Salvage
	index string // commit whose tree is the index; empty when it was HEAD's
}

// parseSalvage reads ref, commit, tree, date and message.
func parseSalvage(f []string) (saved, bool) {
	unix, err := strconv.ParseInt(f[3], 10, 64)
	if err != nil {
		return saved{}, false
	}
	s := saved{Salvage: kedge.Salvage{
		ID: kedge.SalvageID(strings.TrimPrefix(f[0], salvageRefs)), Ref: f[0], Commit: f[1], Tree: f[2],
		At: time.Unix(unix, 0).UTC(), Attic: []string{},
	}}
	subject, body, _ := strings.Cut(f[4], "\n")
	s.Reason = strings.TrimPrefix(subject, "salvage: ")
	for line := range strings.Lines(body) {
		s.trailer(strings.TrimSpace(line))
	}
	return s, kedge.ValidID("sal", string(s.ID))
}

func (s *saved) trailer(line string) {
	key, value, _ := strings.Cut(line, ": ")
	switch key {
	case "Kedge-Base":
		s.Base = value
	case "Kedge-Index":
		s.index = value
	case "Kedge-Files":
		s.Files, _ = strconv.Atoi(value)
	case "Kedge-Attic":
		if p, err := strconv.Unquote(value); err == nil {
			s.Attic = append(s.Attic, p)
		}
	}
}

// listSalvage reads the salvage refs under a prefix.
func (r *Repo) listSalvage(ctx context.Context, prefix string) ([]saved, error) {
	out, err := r.git(ctx, "for-each-ref",
		"--format=%(refname)%00%(objectname)%00%(tree)%00%(committerdate:unix)%00%(contents)%00", prefix)
	if err != nil {
		return nil, err
	}
	f := strings.Split(string(out), "\x00")
	var list []saved
	for i := 0; i+4 < len(f); i += 5 {
		f[i] = strings.TrimPrefix(f[i], "\n")
		if s, ok := parseSalvage(f[i : i+5]); ok {
			list = append(list, s)
		}
	}
	return list, nil
}

// Salvages lists what is set aside, oldest first, from the repository alone.
func (r *Repo) Salvages(ctx context.Context) ([]kedge.Salvage, error) {
	list, err := r.listSalvage(ctx, salvageRefs)
	out := []kedge.Salvage{}
	for _, s := range list {
		out = append(out, s.Salvage)
	}
	slices.SortStableFunc(out, func(a, b kedge.Salvage) int { return a.At.Compare(b.At) })
	return out, err
}

// salvage finds one by its id.
func (r *Repo) salvage(ctx context.Context, id kedge.SalvageID) (kedge.Salvage, bool, error) {
	ref := salvageRefs + string(id)
	if r.noRef(ref) {
		return kedge.Salvage{}, false, nil
	}
	if s, ok := r.plainSalvage(ref); ok {
		return s.Salvage, true, nil
	}
	list, err := r.listSalvage(ctx, ref)
	if err != nil || len(list) == 0 {
		return kedge.Salvage{}, false, err
	}
	return list[0].Salvage, true, nil
}

// plainSalvage reads the salvage behind a ref; false when git has to be asked.
func (r *Repo) plainSalvage(ref string) (saved, bool) {
	sha, text, ok := r.plainCommit(ref)
	head, message, split := strings.Cut(string(text), "\n\n")
	if !ok || !split {
		return saved{}, false
	}
	f := []string{ref, sha, "", "", message}
	for line := range strings.SplitSeq(head, "\n") {
		switch key, value, _ := strings.Cut(line, " "); key {
		case "tree":
			f[2] = value
		case "committer":
			if words := strings.Fields(value); len(words) > 2 {
				f[3] = words[len(words)-2]
			}
		}
	}
	return parseSalvage(f)
}

// DropSalvage forgets a salvage for good: its ref and its folder in the attic.
// Only a person's command may lead here. NotFound when there is none.
func (r *Repo) DropSalvage(ctx context.Context, id kedge.SalvageID, atticDir string) error {
	if !kedge.ValidID("sal", string(id)) {
		return kedge.Errorf(kedge.Invalid, "%q is not a salvage id", id).WithHint("kedge salvage ls")
	}
	return r.exclusively(ctx, func(ctx context.Context) error {
		s, ok, err := r.salvage(ctx, id)
		if err != nil {
			return err
		}
		// The attic goes first: as long as the ref is there, the salvage is
		// listed, and can be dropped again.
		if err := attic.RemoveAll(filepath.Join(atticDir, string(id))); err != nil {
			return kedge.Errorf(kedge.Internal, "empty the attic: %w", err).WithHint("rm -r %s", quote(filepath.Join(atticDir, string(id))))
		}
		if !ok {
			return kedge.Errorf(kedge.NotFound, "no salvage %q", id).WithHint("kedge salvage ls")
		}
		return r.moveRef(ctx, s.Ref, "", s.Commit)
	})
}
