package exec

import (
	"context"
	"fmt"
	"time"

	"kedge"
	"kedge/internal/gitx"
	"kedge/internal/hold"
	"kedge/internal/proc"
	"kedge/internal/run"
)

// evict ends what the job's last session left running, so that no check meets a
// server that an agent started, and says so. A process that somebody else has in
// the work tree is left alone. No work tree: only what carries the session's mark
// is looked for.
func (x *Executor) evict(ctx context.Context, c run.Command, w *gitx.Repo) ([]kedge.Finding, error) {
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
	marked, inside, err := proc.Strays(mark, dir)
	if err != nil {
		return nil, err
	}
	ended := 0
	for _, pid := range marked {
		if proc.EndStray(pid, mark) {
			ended++
		}
	}
	if ended > 0 {
		out = append(out, leftBehind(j.Session, ended, "they were ended before the checks"))
	}
	for _, pid := range inside {
		out = append(out, kedge.Finding{
			Level: kedge.LevelWarning, What: "a process works in the work tree while it is checked", Where: fmt.Sprintf("pid %d", pid),
			Fix: fmt.Sprintf("kill %d", pid),
		})
	}
	return out, x.gone(ctx, mark, ended)
}

func leftBehind(id kedge.SessionID, n int, and string) kedge.Finding {
	return kedge.Finding{
		Level: kedge.LevelWarning, What: fmt.Sprintf("the session left %d processes running; %s", n, and), Where: string(id),
		Fix: "nothing to do: they are gone",
	}
}

// gone waits until the kernel has taken away what was killed: a port is free
// only then.
func (x *Executor) gone(ctx context.Context, mark string, ended int) error {
	if ended == 0 {
		return nil
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		left, _, err := proc.Strays(mark, "")
		if err != nil || len(left) == 0 {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
