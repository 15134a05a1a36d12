package execute

import (
	"context"
	"fmt"
	"time"

	"kedge"
	"kedge/internal/core/run"
	"kedge/internal/git"
	"kedge/internal/process"
	"kedge/internal/process/hold"
)

// evict ends what the job's last session left running, so that no check meets a
// server that an agent started, and says so. A process that somebody else has in
// the worktree is left alone. No worktree: only what carries the session's mark
// is looked for.
func (x *Executor) evict(ctx context.Context, c run.Command, w *git.Repo) ([]kedge.Finding, error) {
	j, err := x.job(c)
	if err != nil || j.Session == "" {
		return nil, err
	}
	var out []kedge.Finding
	if r, err := hold.ReadResult(x.sessionDir(j.Session)); err == nil && r.Left > 0 {
		out = append(out, leftBehind(j.Session, r.Left, "they were ended with it"))
	}
	mark := "KEDGE_SESSION=" + string(j.Session)
	dir := ""
	if w != nil {
		dir = w.Root()
	}
	marked, inside, err := process.Strays(mark, dir)
	if err != nil {
		return nil, err
	}
	ended := 0
	for _, pid := range marked {
		if process.EndStray(pid, mark) {
			ended++
		}
	}
	if ended > 0 {
		out = append(out, leftBehind(j.Session, ended, "they were ended before the checks"))
	}
	for _, pid := range inside {
		out = append(out, kedge.Finding{
			Level: kedge.LevelWarning, What: "a process works in the worktree while it is checked", Where: fmt.Sprintf("pid %d", pid),
			Fix: fmt.Sprintf("kill %d", pid),
		})
	}
	if ended == 0 {
		return out, nil
	}
	left, err := gone(ctx, mark, endTries)
	for _, pid := range left {
		out = append(out, kedge.Finding{
			Level: kedge.LevelWarning, What: "a process of the session cannot be ended", Where: fmt.Sprintf("pid %d", pid),
			Fix: fmt.Sprintf("kill -9 %d", pid),
		})
	}
	return out, err
}

func leftBehind(id kedge.SessionID, n int, and string) kedge.Finding {
	return kedge.Finding{
		Level: kedge.LevelWarning, What: fmt.Sprintf("the session left %d processes running; %s", n, and), Where: string(id),
		Fix: "nothing to do: they are gone",
	}
}

// endTries bounds how often what will not end is killed, endPause apart: a
// process that the kernel itself holds up must not hold up the run.
const (
	endTries = 2000
	endPause = 5 * time.Millisecond
)

// gone waits until the kernel has taken away what was killed, since a port is
// free only then, and kills what was started meanwhile. It gives what is left
// after so many tries.
func gone(ctx context.Context, mark string, tries int) (left []int, err error) {
	tick := time.NewTicker(endPause)
	defer tick.Stop()
	for range tries {
		if left, _, err = process.Strays(mark, ""); err != nil || len(left) == 0 {
			return nil, err
		}
		for _, pid := range left {
			process.EndStray(pid, mark)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return left, nil
}
