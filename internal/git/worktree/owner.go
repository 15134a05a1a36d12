package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"kedge/internal/git/hardened"
	"kedge/internal/process"
	"kedge/internal/process/atomicfile"
)

// Own marks a worktree that Kedge made as in use by a process.
func (r *Repo) Own(pid int) error {
	line := fmt.Sprintf("%d %s\n", pid, process.StartTime(pid))
	return atomicfile.Write(filepath.Join(r.g.GitDir(), hardened.OwnerFile), []byte(line), 0o644)
}

func (r *Repo) markOwner(ctx context.Context, q AddRequest) error {
	w, err := r.at(ctx, q.Path)
	if err != nil {
		return err
	}
	line := "0\n"
	if q.Owner > 0 {
		line = fmt.Sprintf("%d %s\n", q.Owner, process.StartTime(q.Owner))
	}
	return atomicfile.Write(filepath.Join(w.g.GitDir(), hardened.OwnerFile), []byte(line), 0o644)
}

// markAgain marks a worktree that a crash left without its mark: one that has no
// index yet either. Anything else without a mark is somebody's own.
func (r *Repo) markAgain(ctx context.Context, q AddRequest) error {
	w, err := r.at(ctx, q.Path)
	if err != nil {
		return err
	}
	if hardened.Exists(filepath.Join(w.g.GitDir(), hardened.OwnerFile)) || hardened.Exists(filepath.Join(w.g.GitDir(), "index")) {
		return nil
	}
	return r.markOwner(ctx, q)
}

// owner is the living process the worktree was made for, or else one that works
// in it; 0 is none, -1 unknown.
func (r *Repo) owner() (pid int, ours bool) {
	b, err := os.ReadFile(filepath.Join(r.g.GitDir(), hardened.OwnerFile))
	if err == nil {
		f := strings.Fields(string(b))
		if len(f) == 2 {
			if pid, err := strconv.Atoi(f[0]); err == nil && process.IsAlive(pid, f[1]) {
				return pid, true
			}
		}
	}
	return process.Occupant(r.g.Root()), err == nil
}
