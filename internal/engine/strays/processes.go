// Package strays finds what a session did besides its work: processes that it left
// running, branches or tags that moved while it worked, and files of its worktree that
// are not in the commit. It ends such processes, and restores nothing else. It never ends
// a process that does not carry the session's mark.
package strays

import (
	"context"
	"fmt"
	"time"

	"kedge"
	"kedge/internal/process"
	"kedge/internal/process/hold"
)

// Evict ends what a session left running, so that no check meets a server that an agent
// started, and says so. A process that somebody else has in the folder is left alone. An empty
// folder: only what carries the session's mark is looked for. Record is the session's own
// folder.
func Evict(ctx context.Context, id kedge.SessionID, record, dir string) ([]kedge.Finding, error) {
	var out []kedge.Finding
	if r, err := hold.ReadResult(record); err == nil && r.Left > 0 {
		out = append(out, leftBehind(id, r.Left, "Kedge ended them with the session"))
	}
	mark := "KEDGE_SESSION=" + string(id)
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
		out = append(out, leftBehind(id, ended, "Kedge ended them before the checks"))
	}
	for _, pid := range inside {
		out = append(out, kedge.Finding{
			Level: kedge.LevelWarning, What: "a process is working in the worktree while the checks run", Where: fmt.Sprintf("pid %d", pid),
			Fix: fmt.Sprintf("kill %d", pid),
		})
	}
	if ended == 0 {
		return out, nil
	}
	left, err := gone(ctx, mark, endTries)
	for _, pid := range left {
		out = append(out, kedge.Finding{
			Level: kedge.LevelWarning, What: "Kedge cannot end a process that the session left", Where: fmt.Sprintf("pid %d", pid),
			Fix: fmt.Sprintf("kill -9 %d", pid),
		})
	}
	return out, err
}

func leftBehind(id kedge.SessionID, n int, and string) kedge.Finding {
	return kedge.Finding{
		Level: kedge.LevelWarning, What: fmt.Sprintf("the session left processes running (%d); %s", n, and), Where: string(id),
		Fix: "nothing to do: these processes are gone",
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
