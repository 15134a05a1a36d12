package checkout

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"kedge"
	"kedge/internal/git/hardened"
	"kedge/internal/git/stored"
)

// forgotten is the age at which an index of a worktree that nobody looked at
// is removed.
const forgotten = 30 * 24 * time.Hour

// entry is a line of an index. Unmerged paths have their first version.
type entry struct {
	path    string
	mode    string
	object  string
	skipped bool // not checked out, in a sparse checkout
}

func (e entry) link() bool { return e.mode == "160000" }

// line is an entry for "update-index --index-info": it has no times, so that
// git reads the file before it calls it unchanged.
func (e entry) line() string { return e.mode + " " + e.object + "\t" + e.path + "\x00" }

// gone is a line that takes a path out.
func (s *Scratch) gone(path string) string {
	return entry{path: path, mode: "0", object: strings.Repeat("0", s.r.g.SHALen())}.line()
}

// parseEntry reads a line of "ls-files -v -s".
func parseEntry(line string) (entry, bool) {
	head, path, ok := strings.Cut(line, "\t")
	f := strings.Fields(head)
	if !ok || len(f) != 4 {
		return entry{}, false
	}
	return entry{path: path, mode: f[1], object: f[2], skipped: f[0] == "S" || f[0] == "s"}, true
}

// entries lists an index, by path.
func (s *Scratch) entries(ctx context.Context, index string) ([]entry, error) {
	if list, ok := s.r.plainIndex(index); ok {
		return list, nil
	}
	out, err := s.r.g.OfIndex(index, "entries", s.r.g.Remembered, func() ([]byte, error) {
		return s.onIndex(ctx, index, nil, "ls-files", "-v", "-s", "-z")
	})
	if err != nil {
		return nil, err
	}
	var list []entry
	for _, line := range hardened.Fields(out) {
		e, ok := parseEntry(line)
		if ok && (len(list) == 0 || list[len(list)-1].path != e.path) {
			list = append(list, e)
		}
	}
	return list, nil
}

// plainIndex lists an index, by path, each path once.
func (r *Repo) plainIndex(file string) ([]entry, bool) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, false
	}
	list, ok := stored.Index(b, r.g.SHALen())
	if !ok {
		return nil, false
	}
	out := make([]entry, 0, len(list))
	for _, e := range list {
		if len(out) == 0 || out[len(out)-1].path != e.Path {
			out = append(out, entry{path: e.Path, mode: e.Mode, object: e.SHA, skipped: e.Skipped})
		}
	}
	return out, true
}

// seed makes the scratch index one of the files that the user's index tracks, and
// of nothing else; from HEAD when there is none. What it holds of a file was
// hashed by Kedge, or is found to differ by scan.
func (s *Scratch) seed(ctx context.Context) error {
	tracked, err := s.tracked(ctx)
	if err != nil {
		return err
	}
	s.user = tracked
	known, err := s.known(ctx)
	if err != nil {
		return err
	}
	s.kept = known
	both := pairs(known, tracked)
	if len(known) > 0 && slices.ContainsFunc(both, pair.newAttributes) {
		s.afresh = true
		return s.seed(ctx)
	}
	return s.follows(ctx, both)
}

// tracked lists what the user tracks.
func (s *Scratch) tracked(ctx context.Context) ([]entry, error) {
	index := filepath.Join(s.r.g.GitDir(), "index")
	if hardened.Exists(index) {
		list, err := s.entries(ctx, index)
		if err != nil && ctx.Err() == nil {
			err = kedge.Errorf(kedge.Invalid, "cannot read the git index: %w", err).WithHint("see what git says: git status")
		}
		return list, err
	}
	h, err := s.r.Head(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.seedFrom(ctx, h); err != nil {
		return nil, err
	}
	return s.entries(ctx, s.index())
}

// known starts the scratch index from the one that Kedge kept; from nothing when
// there is none, or none that git can read.
func (s *Scratch) known(ctx context.Context) ([]entry, error) {
	if err := os.Remove(s.index()); err != nil && !os.IsNotExist(err) {
		return nil, kedge.Errorf(kedge.Internal, "cannot make a temporary index for git: %w", err)
	}
	file := s.cacheFile()
	if file == "" || s.afresh || !hardened.Exists(file) {
		return nil, nil
	}
	if err := copyIndex(file, s.index()); err != nil {
		return nil, os.Remove(s.index())
	}
	list, err := s.entries(ctx, s.index())
	if err != nil && ctx.Err() == nil {
		return nil, os.Remove(s.index())
	}
	return list, err
}

// cacheFile is the kept index of this worktree under the settings of now; empty
// when there is no place for it.
func (s *Scratch) cacheFile() string {
	if s.r.g.Cache().Dir == "" {
		return ""
	}
	conf := s.conf
	if s.lfs {
		conf = append(conf[:len(conf):len(conf)], stored.LFS)
	}
	return filepath.Join(s.r.g.Cache().Dir, s.cachePrefix()+digest(conf...))
}

func (s *Scratch) cachePrefix() string { return digest(s.r.g.GitDir(), s.r.g.Root()) + "-" }

func digest(texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// follows gives the scratch index the paths that the user tracks.
func (s *Scratch) follows(ctx context.Context, both []pair) error {
	var lines bytes.Buffer
	var skip, show []string
	settled := false
	for _, p := range both {
		switch {
		case p.want == nil:
			lines.WriteString(s.gone(p.have.path))
			continue
		case p.have == nil || p.have.mode != p.want.mode || p.have.object != p.want.object && (p.want.link() || p.want.skipped):
			lines.WriteString(p.want.line())
			s.hashed = append(s.hashed, p.want.path)
			settled = settled || !s.young(p.want.path)
			p.have = &entry{}
		}
		hidden := p.want.skipped && !hardened.Exists(filepath.Join(s.r.g.Root(), p.want.path))
		if hidden && !p.have.skipped {
			skip = append(skip, p.want.path)
		}
		if !hidden && p.have.skipped {
			show = append(show, p.want.path)
		}
	}
	return firstErr(
		func() error { return s.given(ctx, lines.Bytes()) },
		func() error { return s.mark(ctx, skip, "--skip-worktree") },
		func() error { return s.mark(ctx, show, "--no-skip-worktree") },
		func() error { return s.refresh(ctx, settled) },
	)
}

func firstErr(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// given puts lines into the scratch index.
func (s *Scratch) given(ctx context.Context, lines []byte) error {
	if len(lines) == 0 {
		return nil
	}
	_, err := s.Do(ctx, lines, "update-index", "-z", "--index-info")
	return err
}

func (s *Scratch) mark(ctx context.Context, paths []string, as string) error {
	_, err := s.List(ctx, paths, "update-index", as, "-z", "--stdin")
	return err
}

// refresh has git read the files that it knows nothing of, where it pays to keep what
// it finds: scan looks into every such file in any case.
func (s *Scratch) refresh(ctx context.Context, needed bool) error {
	if !needed {
		return nil
	}
	if _, err := s.Do(ctx, nil, "update-index", "-q", "--refresh"); hardened.ExitCode(err) > 1 {
		return err
	}
	return nil
}

// pair is a path of one list, of the other, or of both.
type pair struct{ have, want *entry }

// newAttributes tells of attributes that are tracked only now, or no longer:
// what was hashed under them, or without them, does not count.
func (p pair) newAttributes() bool {
	switch {
	case p.have == nil:
		return attributed([]string{p.want.path})
	case p.want == nil:
		return attributed([]string{p.have.path})
	default:
		return false
	}
}

// pairs goes through two lists that are sorted by path.
func pairs(have, want []entry) []pair {
	var out []pair
	for i, j := 0, 0; i < len(have) || j < len(want); {
		switch {
		case j == len(want) || i < len(have) && have[i].path < want[j].path:
			out = append(out, pair{have: &have[i]})
			i++
		case i == len(have) || want[j].path < have[i].path:
			out = append(out, pair{want: &want[j]})
			j++
		default:
			out = append(out, pair{&have[i], &want[j]})
			i, j = i+1, j+1
		}
	}
	return out
}

// trust leaves out of the changed files those behind a filter that nobody
// approved and that the user's index calls unchanged: without the filter nobody
// can tell. They stand in the scratch index as they do in the user's.
func (s *Scratch) trust(ctx context.Context, c *Changes) error {
	found, err := s.Filtered(ctx, c.changed, false)
	if err != nil {
		return err
	}
	for p, f := range found {
		if s.r.g.IsApproved(f) || !hardened.Exists(filepath.Join(s.r.g.Root(), p)) {
			delete(found, p)
		}
	}
	if len(found) == 0 {
		return nil
	}
	index := filepath.Join(s.dir, "user-index")
	if err := copyIndex(filepath.Join(s.r.g.GitDir(), "index"), index); err != nil {
		return nil //nolint:nilerr // there is none to trust
	}
	out, err := s.onIndex(ctx, index, nil, "ls-files", "-z", "-m")
	if err != nil {
		return err
	}
	for _, p := range hardened.Fields(out) {
		delete(found, p)
	}
	var lines bytes.Buffer
	for _, e := range s.user {
		if _, ok := found[e.path]; ok {
			lines.WriteString(e.line())
		}
	}
	c.changed = slices.DeleteFunc(c.changed, func(p string) bool { _, ok := found[p]; return ok })
	return s.given(ctx, lines.Bytes())
}

// sinceIndex is Differences, but for files that are as the user's index has them: what
// Kedge kept of a file may be of before a commit.
func (s *Scratch) sinceIndex(ctx context.Context) (Changes, error) {
	c, err := s.Differences(ctx)
	if err != nil {
		return c, err
	}
	var lines bytes.Buffer
	for _, p := range pairs(s.kept, s.user) {
		if p.have == nil || p.want == nil || p.have.object == p.want.object {
			continue
		}
		if _, changed := slices.BinarySearch(c.changed, p.want.path); changed {
			lines.WriteString(p.want.line())
		}
	}
	if lines.Len() == 0 {
		return c, nil
	}
	if err := s.given(ctx, lines.Bytes()); err != nil {
		return c, err
	}
	return s.scan(ctx)
}

// attributed tells whether one of the paths decides how others are stored.
func attributed(paths []string) bool {
	return slices.ContainsFunc(paths, func(p string) bool { return path.Base(p) == ".gitattributes" })
}

// keep keeps the scratch index for the next time, on the disk before it has its
// name. That it cannot is no error: the next one reads the files again.
func (s *Scratch) keep(ctx context.Context) {
	file := s.cacheFile()
	if file == "" || !s.r.g.Cache().Keep || !s.worthKeeping() {
		return
	}
	if err := os.MkdirAll(s.r.g.Cache().Dir, 0o700); err != nil {
		return
	}
	temp := filepath.Join(s.r.g.Cache().Dir, "new-"+filepath.Base(s.dir))
	if err := s.keepAs(ctx, temp); err == nil && os.Rename(temp, file) == nil {
		s.dropOthers(file)
		return
	}
	_ = os.Remove(temp)
}

// worthKeeping tells whether there is something to keep, or something that was kept
// and does not hold any more: of a file that is young neither.
func (s *Scratch) worthKeeping() bool {
	return slices.ContainsFunc(s.hashed, func(p string) bool {
		_, was := slices.BinarySearchFunc(s.kept, p, func(e entry, p string) int { return strings.Compare(e.path, p) })
		return was || s.afresh || !s.young(p)
	})
}

// young tells whether a file changed in the second in which it was read: git knows
// times by seconds, and would not see another change in the same one.
func (s *Scratch) young(p string) bool {
	return changedAt(filepath.Join(s.r.g.Root(), p)) >= changedAt(filepath.Join(s.dir, "HEAD"))
}

// keepAs writes the scratch index without the files that are young.
func (s *Scratch) keepAs(ctx context.Context, file string) error {
	if err := copyIndex(s.index(), file); err != nil {
		return err
	}
	var lines bytes.Buffer
	for _, p := range s.hashed {
		if s.young(p) {
			lines.WriteString(s.gone(p))
		}
	}
	if lines.Len() > 0 {
		if _, err := s.onIndex(ctx, file, lines.Bytes(), "update-index", "-z", "--index-info"); err != nil {
			return err
		}
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// changedAt is the second in which the system says that a file was changed last,
// whatever its own time claims; 0 for none.
func changedAt(path string) int64 {
	var st unix.Stat_t
	if unix.Lstat(path, &st) != nil {
		return 0
	}
	sec, _ := st.Ctim.Unix()
	return sec
}

// dropOthers removes what was kept under other settings, and what nobody looked
// at for long.
func (s *Scratch) dropOthers(file string) {
	entries, _ := os.ReadDir(s.r.g.Cache().Dir)
	for _, e := range entries {
		fi, err := e.Info()
		if err != nil || e.Name() == filepath.Base(file) {
			continue
		}
		if strings.HasPrefix(e.Name(), s.cachePrefix()) || s.r.g.Now().Sub(fi.ModTime()) > forgotten {
			_ = os.Remove(filepath.Join(s.r.g.Cache().Dir, e.Name()))
		}
	}
}
