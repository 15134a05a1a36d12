package salvage

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"kedge"

	"kedge/internal/git/hardened"
	"kedge/internal/git/history"
)

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
	for _, m := range s.Submodules {
		b.WriteString("Kedge-Submodule: " + m.Commit + " " + strconv.Quote(m.Path) + " " + strconv.Quote(m.Home) + "\n")
	}
	return b.String()
}

// submodulesIn are the submodules that the message of a salvage names.
func submodulesIn(message string) []kedge.SalvagedSubmodule { return parseMessage(message).Submodules }

// parseMessage reads what a message says.
func parseMessage(message string) saved {
	var s saved
	for line := range strings.Lines(message) {
		s.trailer(strings.TrimSpace(line))
	}
	return s
}

// parseSubmodule reads "commit path home", both quoted.
func parseSubmodule(text string) (kedge.SalvagedSubmodule, bool) {
	commit, rest, _ := strings.Cut(text, " ")
	quoted, err := strconv.QuotedPrefix(rest)
	if err != nil || hardened.CheckSHA("commit", commit) != nil {
		return kedge.SalvagedSubmodule{}, false
	}
	path, pathErr := strconv.Unquote(quoted)
	home, homeErr := strconv.Unquote(strings.TrimPrefix(rest[len(quoted):], " "))
	ok := pathErr == nil && homeErr == nil && filepath.IsLocal(filepath.FromSlash(path))
	return kedge.SalvagedSubmodule{Path: path, Home: home, Commit: commit}, ok
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
	case "Kedge-Submodule":
		if m, ok := parseSubmodule(value); ok {
			s.Submodules = append(s.Submodules, m)
		}
	}
}

// listSalvage reads the salvage refs under a prefix.
func (r *Repo) listSalvage(ctx context.Context, prefix string) ([]saved, error) {
	out, err := r.g.Do(ctx, "for-each-ref",
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

// SalvagePaths are the paths that a salvage holds, sorted.
func (r *Repo) SalvagePaths(ctx context.Context, v kedge.Salvage) ([]string, error) {
	base, err := history.BaseTree(ctx, r.g, v.Base)
	if err != nil {
		return nil, err
	}
	diff, err := r.Diff(ctx, base, v.Tree)
	if err != nil {
		return nil, err
	}
	paths := slices.Clone(v.Attic)
	for _, c := range diff {
		paths = append(paths, c.Path)
	}
	paths = append(paths, r.modulePaths(ctx, r.g.CommonDir(), "", v.Submodules)...)
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// salvage finds one by its id.
func (r *Repo) salvage(ctx context.Context, id kedge.SalvageID) (kedge.Salvage, bool, error) {
	ref := salvageRefs + string(id)
	if history.NoRef(r.g, ref) {
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
	sha, text, ok := history.PlainCommit(r.g, ref)
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
		return kedge.Errorf(kedge.Invalid, "%q is not the id of work that Kedge set aside (a salvage)", id).WithHint("see the ids: kedge salvage ls")
	}
	return r.g.Exclusively(ctx, func(ctx context.Context) error {
		s, ok, err := r.salvage(ctx, id)
		if err != nil {
			return err
		}
		// The attic goes first: as long as the ref is there, the salvage is
		// listed, and can be dropped again.
		if err := RemoveAll(filepath.Join(atticDir, string(id))); err != nil {
			return kedge.Errorf(kedge.Internal, "cannot delete the files of salvage %s: %w", id, err).WithHint("delete them yourself: rm -r %s", hardened.Quote(filepath.Join(atticDir, string(id))))
		}
		if !ok {
			return kedge.Errorf(kedge.NotFound, "Kedge has no set-aside work (salvage) with the id %q", id).WithHint("see the ids: kedge salvage ls")
		}
		if err := r.dropModules(ctx, r.g.CommonDir(), s.Ref, s.Submodules); err != nil {
			return err
		}
		return history.MoveRef(ctx, r.g, s.Ref, "", s.Commit)
	})
}
