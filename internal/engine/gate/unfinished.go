package gate

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"kedge"
	"kedge/internal/process/hold"
)

// Environ is the environment of a gate that was left, by its log folder: it is
// nowhere but in the holders of its lines. Without one that lives it is unknown;
// silent means that one lives that does not answer now.
func Environ(ctx context.Context, logDir string) (env []string, ok, silent bool) {
	for _, dir := range heldIn(logDir) {
		f := hold.Look(ctx, dir)
		if f.Client == nil {
			silent = silent || f.State == kedge.SessionRunning
			continue
		}
		env, err := f.Client.Environ(ctx)
		_ = f.Client.Close()
		if err == nil {
			return env, true, false
		}
	}
	return nil, false, silent
}

// Holders are the living holders of a gate's lines, by its log folder.
func Holders(logDir string) (out []hold.Record) {
	for _, dir := range heldIn(logDir) {
		if r, err := hold.ReadRecord(dir); err == nil && r.Alive() {
			out = append(out, r)
		}
	}
	return out
}

// Forget lets go of a gate that is over: what still runs of it is ended, its
// holders go, and what was kept to finish it later is removed. The logs stay.
func Forget(ctx context.Context, logDir string) error {
	var errs []error
	for _, dir := range heldIn(logDir) {
		if err := forgetLine(ctx, dir); err != nil {
			errs = append(errs, err)
			continue
		}
		errs = append(errs, os.RemoveAll(dir))
	}
	return errors.Join(errs...)
}

// heldIn are the folders of the lines of a gate; none where there is no gate.
func heldIn(logDir string) (dirs []string) {
	entries, _ := os.ReadDir(logDir)
	for _, e := range entries {
		if e.IsDir() && strings.HasSuffix(e.Name(), heldSuffix) {
			dirs = append(dirs, filepath.Join(logDir, e.Name()))
		}
	}
	return dirs
}

func forgetLine(ctx context.Context, dir string) error {
	f := hold.Look(ctx, dir)
	if f.Client == nil {
		if f.State == kedge.SessionRunning {
			return kedge.Errorf(kedge.Conflict, "Kedge cannot end the earlier check in %q: its process does not answer", dir)
		}
		return nil
	}
	defer func() { _ = f.Client.Close() }()
	if f.Result == nil {
		if err := f.Client.End(ctx, 0); err != nil {
			return err
		}
		if _, err := f.Client.Follow(ctx, func(int64) error { return nil }); err != nil {
			return err
		}
	}
	return f.Client.Collect(ctx)
}
