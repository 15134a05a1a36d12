package gitx

import (
	"context"
	"strings"
	"time"

	"kedge"
)

// CopyRequest asks for a copy of a work tree to be kept, while work in it goes
// on.
type CopyRequest struct {
	ID     kedge.SalvageID
	Reason string
	Date   time.Time
}

// Copy is a work tree as it stood. Salvage has no Ref when nothing in it differs
// from HEAD.
type Copy struct {
	Tree    string // without what no commit can hold
	Salvage kedge.Salvage
}

// KeepCopy keeps a copy of the work tree under the salvage refs and changes
// nothing in it: no file moves, the index stays. What cannot go into a commit
// (files over 50 MB, nested repositories, files behind a filter) is left out and
// stays where it is. Of one id the newest copy is under the ref; earlier ones are
// its ancestors. Asked for again with nothing changed it gives the same copy.
func (r *Repo) KeepCopy(ctx context.Context, q CopyRequest) (Copy, error) {
	if !kedge.ValidID("sal", string(q.ID)) {
		return Copy{}, kedge.Errorf(kedge.Invalid, "%q is not a salvage id", q.ID)
	}
	var out Copy
	err := r.exclusively(ctx, func(ctx context.Context) error {
		before, had, err := r.salvage(ctx, q.ID)
		if err != nil {
			return err
		}
		out, err = r.copyTree(ctx, q)
		if err != nil || out.Salvage.Files == 0 {
			return err
		}
		if had && before.Tree == out.Tree && before.Base == out.Salvage.Base {
			out.Salvage = before
			return nil
		}
		return r.keepAfter(ctx, before, &out.Salvage)
	})
	return out, err
}

// copyTree writes the tree of what is there.
func (r *Repo) copyTree(ctx context.Context, q CopyRequest) (Copy, error) {
	var out Copy
	err := r.withScratch(ctx, func(s *scratch) error {
		h, err := r.Head(ctx)
		if err != nil {
			return err
		}
		out.Salvage = kedge.Salvage{ID: q.ID, Base: h.Commit, Reason: oneLine(q.Reason), At: q.Date, Attic: []string{}}
		if _, err := s.salvageTree(ctx, &out.Salvage); err != nil {
			return err
		}
		out.Tree, out.Salvage.Attic = out.Salvage.Tree, []string{}
		return s.count(ctx, &out.Salvage)
	})
	return out, err
}

// keepAfter makes the commit of a copy, the one before it as a second parent.
func (r *Repo) keepAfter(ctx context.Context, before kedge.Salvage, out *kedge.Salvage) error {
	q := CommitRequest{Tree: out.Tree, Date: out.At, Author: Kedge, Message: salvageMessage(*out, "")}
	for _, p := range []string{out.Base, before.Commit} {
		if p != "" {
			q.Parents = append(q.Parents, p)
		}
	}
	sha, err := r.Commit(ctx, q)
	if err != nil {
		return err
	}
	out.Commit, out.Ref = sha, salvageRefs+string(out.ID)
	return r.moveRef(ctx, out.Ref, sha, before.Commit)
}

// DropCopy forgets a copy whose work is in a commit now. One that is not there
// is fine.
func (r *Repo) DropCopy(ctx context.Context, id kedge.SalvageID) error {
	if !kedge.ValidID("sal", string(id)) {
		return kedge.Errorf(kedge.Invalid, "%q is not a salvage id", id)
	}
	return r.exclusively(ctx, func(ctx context.Context) error {
		s, ok, err := r.salvage(ctx, id)
		if err != nil || !ok {
			return err
		}
		return r.moveRef(ctx, s.Ref, "", s.Commit)
	})
}

// CommitInfo is what a commit object says.
type CommitInfo struct {
	SHA     string
	Tree    string
	Parents []string
	Message string
}

// ReadCommit reads a commit; NotFound when there is none. It may be named by its
// place behind another: HEAD~2, main^.
func (r *Repo) ReadCommit(ctx context.Context, rev string) (CommitInfo, error) {
	if checkRev(withoutSteps(rev)) != nil {
		return CommitInfo{}, checkRev(rev)
	}
	sha, out, ok := r.plainCommit(rev)
	if !ok {
		var err error
		if sha, err = r.verified(ctx, rev); err != nil {
			return CommitInfo{}, err
		}
		if out, err = r.fixed(ctx, "cat-file", "commit", "--end-of-options", sha); err != nil {
			return CommitInfo{}, err
		}
	}
	head, message, _ := strings.Cut(string(out), "\n\n")
	c := CommitInfo{SHA: sha, Message: message}
	for line := range strings.SplitSeq(head, "\n") {
		switch key, value, _ := strings.Cut(line, " "); key {
		case "tree":
			c.Tree = value
		case "parent":
			c.Parents = append(c.Parents, value)
		}
	}
	return c, nil
}

// Since reads the commits of tip's own line, first parents only, that from does not
// have, the newest first: one question, however many there are. With no from it is
// all of them.
func (r *Repo) Since(ctx context.Context, from, tip string) ([]CommitInfo, error) {
	rev := tip
	for _, name := range []string{from, tip} {
		if err := checkRev(name); name != "" && err != nil {
			return nil, err
		}
	}
	if from != "" {
		rev = from + ".." + tip
	}
	out, err := r.git(ctx, "rev-list", "--first-parent", "--format=%H %T %P%n%B%x00", "--end-of-options", rev)
	if err != nil {
		return nil, err
	}
	var list []CommitInfo
	for text := range strings.SplitSeq(string(out), "\x00\n") {
		_, text, ok := strings.Cut(text, "\n") // git names each once more before
		names, message, _ := strings.Cut(text, "\n")
		if f := strings.Fields(names); ok && len(f) > 1 {
			list = append(list, CommitInfo{SHA: f[0], Tree: f[1], Parents: f[2:], Message: message})
		}
	}
	return list, nil
}

// Trailer gives the value of a trailer in the last paragraph of the message;
// empty when it has none.
func (c CommitInfo) Trailer(key string) string {
	text := strings.TrimRight(c.Message, "\n")
	last := text[strings.LastIndex(text, "\n\n")+1:]
	for line := range strings.SplitSeq(last, "\n") {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), key+": "); ok {
			return value
		}
	}
	return ""
}
