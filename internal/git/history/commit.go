package history

import (
	"context"
	"fmt"
	"strings"
	"time"

	"kedge"
	"kedge/internal/git/hardened"
)

// CommitRequest says everything that a commit is made of, so that the same
// request gives the same commit however often it is made.
type CommitRequest struct {
	Tree    string
	Parents []string
	Message string
	Date    time.Time
	Author  hardened.Person // also the committer
}

// Commit makes a commit object. No ref moves.
func (r *Repo) Commit(ctx context.Context, q CommitRequest) (string, error) {
	if err := q.check(); err != nil {
		return "", err
	}
	args := []string{"commit-tree"}
	for _, p := range q.Parents {
		args = append(args, "-p", p)
	}
	date := fmt.Sprintf("@%d %s", q.Date.Unix(), q.Date.Format("-0700"))
	out, err := r.g.Run(ctx, hardened.Call{
		Args:  append(args, "-F", "-", "--end-of-options", q.Tree),
		Stdin: []byte(strings.TrimRight(q.Message, "\n") + "\n"),
		Env: []string{
			"GIT_AUTHOR_NAME=" + q.Author.Name, "GIT_AUTHOR_EMAIL=" + q.Author.Email, "GIT_AUTHOR_DATE=" + date,
			"GIT_COMMITTER_NAME=" + q.Author.Name, "GIT_COMMITTER_EMAIL=" + q.Author.Email, "GIT_COMMITTER_DATE=" + date,
		},
	})
	return strings.TrimSpace(string(out)), err
}

func (q CommitRequest) check() error {
	if err := hardened.CheckSHA("tree", q.Tree); err != nil {
		return err
	}
	for _, p := range q.Parents {
		if err := hardened.CheckSHA("commit", p); err != nil {
			return err
		}
	}
	switch {
	case strings.TrimSpace(q.Message) == "":
		return kedge.Errorf(kedge.Invalid, "a commit needs a message")
	case strings.ContainsRune(q.Message+q.Author.Name+q.Author.Email, 0):
		return kedge.Errorf(kedge.Invalid, "a commit message or the name of its author has a NUL character, and git does not allow that")
	case q.Author.Name == "" || q.Author.Email == "":
		return kedge.Errorf(kedge.Invalid, "a commit needs an author")
	case q.Date.IsZero():
		return kedge.Errorf(kedge.Invalid, "a commit needs a date")
	}
	return nil
}

// CommitInfo is what a commit object says.
type CommitInfo struct {
	SHA     string
	Tree    string
	Parents []string
	Author  string // "Name <address>", as ReadCommit has it
	Message string
}

// ReadCommit reads a commit; NotFound when there is none. It may be named by its
// place behind another: HEAD~2, main^.
func (r *Repo) ReadCommit(ctx context.Context, rev string) (CommitInfo, error) {
	if hardened.CheckRev(hardened.WithoutSteps(rev)) != nil {
		return CommitInfo{}, hardened.CheckRev(rev)
	}
	sha, out, ok := r.plainCommit(rev)
	if !ok {
		var err error
		if sha, err = r.verified(ctx, rev); err != nil {
			return CommitInfo{}, err
		}
		if out, err = r.g.Fixed(ctx, "cat-file", "commit", "--end-of-options", sha); err != nil {
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
		case "author":
			c.Author = value[:strings.LastIndexByte(value, '>')+1]
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
		if err := hardened.CheckRev(name); name != "" && err != nil {
			return nil, err
		}
	}
	if from != "" {
		rev = from + ".." + tip
	}
	out, err := r.g.Do(ctx, "rev-list", "--first-parent", "--format=%H %T %P%n%B%x00", "--end-of-options", rev)
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

func (r *Repo) commitOf(ctx context.Context, rev string) (string, error) {
	if err := hardened.CheckRev(rev); err != nil {
		return "", err
	}
	return r.verified(ctx, rev)
}

// verified is the commit behind a rev that was found harmless.
func (r *Repo) verified(ctx context.Context, rev string) (string, error) {
	if sha, _, ok := r.plainCommit(rev); ok {
		return sha, nil
	}
	out, err := r.g.Do(ctx, "rev-parse", "-q", "--verify", "--end-of-options", rev+"^{commit}")
	if c := hardened.ExitCode(err); c == 1 || c == 128 {
		return "", kedge.Errorf(kedge.NotFound, "this repository has no commit %q", rev).WithHint("see its commits: git log --oneline --all")
	}
	return strings.TrimSpace(string(out)), err
}
