// Package daemon owns the life of the one daemon of a KEDGE_HOME: the folder itself, the
// lock, the unix socket and who may use it, the log, and how a command finds, starts and
// stops the daemon.
//
// It promises that at most one daemon serves a KEDGE_HOME, however many start at once.
// Only the same user reaches the socket. The files of a dead daemon never look like a
// living daemon. When the daemon stops, running requests get time to end. The daemon
// never listens on the network, has no idle timeout, and does not know what requests
// mean.
package daemon

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"kedge"
)

// Home finds the state folder, makes it (0700) and checks that it is this
// user's alone and can be written: KEDGE_HOME, else $XDG_STATE_HOME/kedge, else
// ~/.local/state/kedge. The path it gives is absolute.
func Home(env func(string) string) (string, error) {
	dir, err := homePath(env)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", kedge.Errorf(kedge.Invalid, "cannot make the state folder %q: %w", dir, cause(err)).
			WithHint("set KEDGE_HOME to a folder that you may write to")
	}
	info, err := os.Stat(dir)
	if err != nil {
		return "", kedge.Errorf(kedge.Invalid, "cannot read the state folder %q: %w", dir, cause(err)).
			WithHint("set KEDGE_HOME to a folder that you may write to")
	}
	err = private(dir, info)
	if errors.Is(err, unix.EROFS) && env("KEDGE_SESSION") != "" {
		err = nil // in a sandbox, where whoever acts in a session asks the daemon
	}
	return dir, err
}

// Claim closes a state folder that is this user's, still empty and open to
// others, as mkdir makes it, and says that it did. Any other folder it leaves
// alone: Home says what is wrong with it.
func Claim(env func(string) string) (said string) {
	dir, err := homePath(env)
	if err != nil {
		return ""
	}
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() || info.Mode().Perm()&0o077 == 0 || !isEmpty(dir) {
		return ""
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != os.Geteuid() {
		return ""
	}
	if os.Chmod(dir, 0o700) != nil {
		return ""
	}
	if !isEmpty(dir) { // somebody was quicker: what is in it now is not known to be ours
		_ = os.Chmod(dir, info.Mode()) // Home tells what is left
		return ""
	}
	return fmt.Sprintf("the empty state folder %q was open to other users (mode %04o), so Kedge restricted it to you (mode 0700)", dir, info.Mode().Perm())
}

func isEmpty(dir string) bool {
	list, err := os.ReadDir(dir)
	return err == nil && len(list) == 0
}

// homePath decides by the environment alone. A relative XDG_STATE_HOME is
// passed over, as its specification asks; a relative KEDGE_HOME would be
// another home in every folder, so it is refused.
func homePath(env func(string) string) (string, error) {
	if dir := env("KEDGE_HOME"); dir != "" {
		if !filepath.IsAbs(dir) {
			return "", kedge.Errorf(kedge.Invalid, "KEDGE_HOME %q is not an absolute path", dir).
				WithHint("export KEDGE_HOME=\"$PWD/%s\"", dir)
		}
		return filepath.Clean(dir), nil
	}
	if dir := env("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "kedge"), nil
	}
	dir := env("HOME")
	if !filepath.IsAbs(dir) {
		return "", kedge.Errorf(kedge.Invalid, "Kedge finds no place for its state folder: HOME is %q, and neither KEDGE_HOME nor XDG_STATE_HOME is set", dir).
			WithHint("export KEDGE_HOME=/absolute/path/of/a/folder")
	}
	return filepath.Join(dir, ".local", "state", "kedge"), nil
}

// private refuses a folder that is not this user's alone, or that cannot be
// written. access(2) also tells root about a read-only filesystem.
func private(dir string, info fs.FileInfo) error {
	if !info.IsDir() {
		return kedge.Errorf(kedge.Invalid, "%q is not a folder, and Kedge needs a folder there for its state", dir).
			WithHint("move that file away, or set KEDGE_HOME to another folder")
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return kedge.Errorf(kedge.Invalid, "Kedge's folder %q belongs to user %d, not to you (user %d)", dir, st.Uid, os.Geteuid()).
			WithHint("set KEDGE_HOME to a folder of your own")
	}
	if perm := info.Mode().Perm(); perm&0o077 != 0 {
		return kedge.Errorf(kedge.Invalid, "Kedge's folder %q is open to other users (mode %04o)", dir, perm).
			WithHint("restrict the folder to yourself: chmod 700 '%s'", dir)
	}
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
		return kedge.Errorf(kedge.Invalid, "Kedge cannot write to its folder %q: %w", dir, err).
			WithHint("set KEDGE_HOME to a folder that you may write to")
	}
	return nil
}

// daemonDir makes and checks the folder of the daemon's own files.
func daemonDir(home string) (string, error) {
	dir := filepath.Join(home, "daemon")
	return dir, ownFolder(dir)
}

// ownFolder makes dir (0700) if need be. A link in its place is refused: it
// could be swapped by whoever made it.
func ownFolder(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return kedge.Errorf(kedge.Invalid, "cannot make %q: %w", dir, cause(err)).
			WithHint("set KEDGE_HOME to a folder that you may write to")
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return kedge.Errorf(kedge.Invalid, "cannot read %q: %w", dir, cause(err)).
			WithHint("set KEDGE_HOME to a folder that you may write to")
	}
	return private(dir, info)
}

// cause is the reason of a file error without the path, which the caller's
// message already names.
func cause(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

// closing closes c and gives err, or else what closing gave. It does not join
// them: a joined error has no hint to show.
func closing(err error, c io.Closer) error { return firstOf(err, c.Close()) }

func firstOf(err, other error) error {
	if err != nil {
		return err
	}
	return other
}
