package history

import (
	"context"
	"strconv"
	"strings"

	"kedge/internal/git/hardened"
)

// Logged is a commit with the files that it changed.
type Logged struct {
	SHA     string
	Subject string
	Message string
	Files   []string
}

// Recent reads the last commits that a tip has, merges left out, the newest first, in
// one question.
func (r *Repo) Recent(ctx context.Context, tip string, most int) ([]Logged, error) {
	return r.Meanwhile(ctx, "", tip, most)
}

// Meanwhile is Recent without the commits that from has; with no from it is all of them.
func (r *Repo) Meanwhile(ctx context.Context, from, tip string, most int) ([]Logged, error) {
	rev := tip
	for _, name := range []string{from, tip} {
		if err := hardened.CheckRev(name); name != "" && err != nil {
			return nil, err
		}
	}
	if from != "" {
		rev = from + ".." + tip
	}
	out, err := r.g.Do(ctx, "log", "-z", "--no-merges", "--no-color", "--no-decorate", "--no-show-signature", "--no-ext-diff", "--no-renames", "--name-only", "--max-count="+strconv.Itoa(most),
		"--format=%x01%H%x02%B%x02", "--end-of-options", rev)
	if err != nil {
		return nil, err
	}
	var list []Logged
	for text := range strings.SplitSeq(string(out), "\x01") {
		parts := strings.SplitN(text, "\x02", 3)
		if len(parts) < 3 {
			continue
		}
		c := Logged{SHA: parts[0], Message: parts[1]}
		c.Subject, _, _ = strings.Cut(c.Message, "\n")
		for name := range strings.SplitSeq(parts[2], "\x00") {
			if name = strings.TrimPrefix(name, "\n"); name != "" {
				c.Files = append(c.Files, name)
			}
		}
		list = append(list, c)
	}
	return list, nil
}

// Grep lists the text files of a revision that contain a text, whatever its case.
func (r *Repo) Grep(ctx context.Context, rev, text string) ([]string, error) {
	if err := hardened.CheckRev(rev); err != nil {
		return nil, err
	}
	out, err := r.g.Do(ctx, "grep", "-I", "-l", "-z", "-i", "-F", "--no-color", "--no-textconv", "-e", text, rev, "--")
	if hardened.ExitCode(err) == 1 {
		return nil, nil // nowhere
	}
	if err != nil {
		return nil, err
	}
	var files []string
	for name := range strings.SplitSeq(string(out), "\x00") {
		if _, path, ok := strings.Cut(name, ":"); ok {
			files = append(files, path)
		}
	}
	return files, nil
}
