package exec

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"kedge"
	"kedge/internal/atomicfile"
	"kedge/internal/redact"
	"kedge/internal/run"
)

// brief makes the text that the next session starts with. The answer names it;
// briefText gives it. A second owner of the command gives the one that the first
// wrote.
func (x *Executor) brief(ctx context.Context, c run.Command, _ func(run.Event)) (run.Event, error) {
	ev := answer(c, run.OK)
	ev.Text = briefPrefix + strconv.FormatInt(c.Origin(), 10) + briefSuffix
	file := filepath.Join(x.runDir(c.Run), ev.Text)
	if _, err := os.Stat(file); err == nil {
		return ev, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return ev, kedge.Errorf(kedge.Internal, "look for a brief: %w", err)
	}
	at, err := x.standing(ctx, c)
	if err != nil {
		return ev, err
	}
	text, err := x.cfg.Briefs.Brief(ctx, c, at)
	if err != nil {
		return ev, err
	}
	if err := os.MkdirAll(x.runDir(c.Run), 0o700); err != nil {
		return ev, kedge.Errorf(kedge.Internal, "make the folder of a run: %w", err)
	}
	text = redact.Text(text) // whatever it was made of: it goes to a model, and into its provider's logs
	if err := atomicfile.Write(file, []byte(text), 0o600); err != nil {
		return ev, kedge.Errorf(kedge.Internal, "keep a brief: %w", err)
	}
	return ev, nil
}

// The name of a brief in the folder of its run.
const (
	briefPrefix = "brief-"
	briefSuffix = ".md"
)

// briefText gives the text of the brief that a StartSession names in its Text.
func (x *Executor) briefText(c run.Command) (string, error) {
	number, ok := strings.CutPrefix(strings.TrimSuffix(c.Text, briefSuffix), briefPrefix)
	if _, err := strconv.ParseInt(number, 10, 64); !ok || err != nil {
		return "", kedge.Errorf(kedge.Internal, "%q names no brief", c.Text)
	}
	b, err := os.ReadFile(filepath.Join(x.runDir(c.Run), briefPrefix+number+briefSuffix))
	if err != nil {
		return "", kedge.Errorf(kedge.Internal, "read the brief: %w", err)
	}
	return string(b), nil
}

// runDir is where the records of a run are: its jobs and its briefs.
func (x *Executor) runDir(id kedge.RunID) string { return x.cfg.Slots.CleanDir(id) + ".d" }
