package execute

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"kedge"
	"kedge/internal/core/run"
	"kedge/internal/process/atomicfile"
	"kedge/internal/text/redact"
)

// brief makes the text that the next session starts with. The answer names it;
// briefText gives it. A second owner of the command gives the one that the first
// wrote. Where a conversation is to be gone on with, and can be, the text is what is
// said in it, and the answer names the conversation too.
func (x *Executor) brief(ctx context.Context, c run.Command, _ func(run.Input)) (run.Input, error) {
	ev := c.Reply(run.OK)
	for _, prefix := range []string{briefPrefix, resumePrefix} {
		name := briefName(prefix, c)
		if _, err := os.Stat(filepath.Join(x.runDir(c.Run), name)); err == nil {
			return briefed(ev, c, name), nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return ev, kedge.Errorf(kedge.Internal, "cannot look for the brief (the start text) of the next session for %s: %w", nameOf(c), err)
		}
	}
	prefix := briefPrefix
	if c.Resume != "" {
		var err error
		if ev.Reason, err = x.cannotResume(ctx, c); err != nil {
			return ev, err
		}
		if ev.Reason == "" {
			prefix = resumePrefix
		} else {
			c.Resume, c.Reason = "", ev.Reason
		}
	}
	return briefed(ev, c, briefName(prefix, c)), x.writeBrief(ctx, c, briefName(prefix, c))
}

// writeBrief makes the text and keeps it.
func (x *Executor) writeBrief(ctx context.Context, c run.Command, name string) error {
	at, err := x.standing(ctx, c)
	if err != nil {
		return err
	}
	text, err := x.cfg.Briefs.Brief(ctx, c, at)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(x.runDir(c.Run), 0o700); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot make the folder for the files of run %q: %w", c.Run, err)
	}
	text = redact.Text(text) // whatever it was made of: it goes to a model, and into its provider's logs
	if err := atomicfile.Write(filepath.Join(x.runDir(c.Run), name), []byte(text), 0o600); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot save the brief (the start text) of the next session for %s: %w", nameOf(c), err)
	}
	return nil
}

// The name of a brief in the folder of its run: for a fresh session, and for one
// that goes on with a conversation.
const (
	briefPrefix  = "brief-"
	resumePrefix = "resume-"
	briefSuffix  = ".md"
)

func briefName(prefix string, c run.Command) string {
	return prefix + strconv.FormatInt(c.Origin(), 10) + briefSuffix
}

// briefed is the answer that names a brief.
func briefed(ev run.Input, c run.Command, name string) run.Input {
	ev.Text = name
	if strings.HasPrefix(name, resumePrefix) {
		ev.Conversation = c.Resume
	}
	return ev
}

// briefText gives the text of the brief that a StartSession names in its Text.
func (x *Executor) briefText(c run.Command) (string, error) {
	prefix := briefPrefix
	if strings.HasPrefix(c.Text, resumePrefix) {
		prefix = resumePrefix
	}
	number, ok := strings.CutPrefix(strings.TrimSuffix(c.Text, briefSuffix), prefix)
	if _, err := strconv.ParseInt(number, 10, 64); !ok || err != nil {
		return "", kedge.Errorf(kedge.Internal, "cannot read the brief (the start text) of the next session for %s: its file name %q is not valid", nameOf(c), c.Text)
	}
	b, err := os.ReadFile(filepath.Join(x.runDir(c.Run), prefix+number+briefSuffix))
	if err != nil {
		return "", kedge.Errorf(kedge.Internal, "cannot read the brief (the start text) of the next session for %s: %w", nameOf(c), err)
	}
	return string(b), nil
}

// runDir is where the records of a run are: its jobs and its briefs.
func (x *Executor) runDir(id kedge.RunID) string { return x.cfg.Slots.CleanDir(id) + ".d" }
