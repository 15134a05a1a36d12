package maintenance

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/engine/gate"
	"kedge/internal/git"
	"kedge/internal/git/slot"
)

// TrialDir is where init tries what it proposes for a project: its logs, and a worktree. The
// folder may be no project yet. Root is the repository's common git dir, or a plain folder.
func TrialDir(h *projects.Home, root string) string {
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(h.Dir, "trials", hex.EncodeToString(sum[:8]))
}

// TrialLogs is the folder of logs in such a place.
func TrialLogs(dir string) string { return filepath.Join(dir, "logs") }

// TrialSlots are the worktrees of trials in a repository.
func TrialSlots(h *projects.Home, repo *git.Repo) *slot.Slots {
	dir := TrialDir(h, repo.CommonDir())
	return slot.New(slot.Config{Repo: repo, Dir: dir, Attic: filepath.Join(dir, "attic"), Now: h.Clock})
}

// ClearTrials takes away what a trial left whose daemon was killed: what still runs of it,
// its worktree and its logs. It is nobody's work. A trial that is under way stays.
func ClearTrials(ctx context.Context, h *projects.Home, repo *git.Repo, root string) error {
	dir := TrialDir(h, root)
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var slots *slot.Slots
	var left []slot.Session
	if repo != nil {
		slots = TrialSlots(h, repo)
		all, err := slots.Sessions()
		if err != nil {
			return err
		}
		left, err = slots.Abandoned(func(kedge.SessionID) bool { return false })
		if err != nil || len(left) < len(all) {
			return err
		}
	}
	var err error
	for _, logs := range trialLines(dir) {
		err = errors.Join(err, gate.Forget(ctx, logs))
	}
	for _, r := range left {
		err = errors.Join(err, slots.Undo(ctx, r))
	}
	if err != nil {
		return err
	}
	return forgetTrial(dir)
}

// trialLines are the folders of the logs of single commands.
func trialLines(dir string) []string {
	list, _ := filepath.Glob(filepath.Join(TrialLogs(dir), "*")) // the pattern is valid
	return list
}

// forgetTrial removes the folder of trials that are over.
func forgetTrial(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot remove the logs of the commands that kedge init tried: %w", err)
	}
	_ = os.Remove(filepath.Dir(dir)) // only if it is empty now
	return nil
}
