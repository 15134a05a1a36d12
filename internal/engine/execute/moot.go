package execute

import (
	"context"
	"fmt"
	"strings"

	"kedge/internal/core/run"
	"kedge/internal/engine"
	"kedge/internal/git"
	"kedge/internal/text/words"
)

// merging is a job's work merged onto the tip, all without what is Kedge's.
type merging struct {
	git.Merged
	base, tip string // the trees that it began with and was merged onto; of work that is taken back none
	why       string // a command did not make what it is there for: Kept are conflicts
}

// nothingLeft tells whether the tip has all of the work already.
func (m merging) nothingLeft(c run.Command) bool {
	return m.base != c.Tree && m.tip != "" && m.Tree == m.tip
}

// whoHasIt says which commit since the job began first had all of its work.
func (x *Executor) whoHasIt(ctx context.Context, c run.Command, m merging) (string, error) {
	j, err := x.job(c)
	if err != nil {
		return "", err
	}
	at, err := x.cfg.Slots.FirstWith(ctx, j.Base, c.Base, git.MergeRequest{Base: m.base, Theirs: c.Tree, Date: c.At})
	if err != nil {
		return "", err
	}
	if at.SHA == "" {
		return fmt.Sprintf("the commits since %s already contain this work", words.Hash(j.Base)), nil
	}
	return x.madeBy(ctx, at)
}

// madeBy names a commit, and whose work it is.
func (x *Executor) madeBy(ctx context.Context, at git.CommitInfo) (string, error) {
	if id := at.Trailer("Kedge-Feature"); id != "" {
		return fmt.Sprintf("done by commit %s (feature %q)", words.Hash(at.SHA), id), nil
	}
	info, err := x.cfg.Repo.ReadCommit(ctx, at.SHA)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("done by commit %s by %s (%s)", words.Hash(info.SHA), info.Author, engine.Subject(strings.SplitN(info.Message, "\n", 2)[0])), nil
}
