package daemon

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"

	"kedge"
	"kedge/internal/process"
	"kedge/internal/process/atomicfile"
)

// listen binds the daemon's socket and writes its address down. It must be
// called under the lock: only then is a socket that is there a dead daemon's.
func listen(home, runtime string, log *slog.Logger) (net.Listener, error) {
	path, err := socketPath(home, runtime)
	if err != nil {
		return nil, err
	}
	if err := removeStale(path); err != nil {
		return nil, err
	}
	l, err := new(net.ListenConfig).Listen(context.Background(), "unix", path) // a local bind does not wait
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "the daemon cannot make its socket %q: %w", path, bareNet(err))
	}
	// Until here only the folder's 0700 kept others out.
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, closing(kedge.Errorf(kedge.Internal, "cannot restrict access to %q: %w", path, cause(err)), l)
	}
	if err := atomicfile.Write(addressFile(home), []byte(path+"\n"), 0o600); err != nil {
		return nil, closing(err, l)
	}
	return &ownListener{Listener: l, uid: os.Geteuid(), log: log}, nil
}

func addressFile(home string) string { return filepath.Join(home, "daemon", "address") }

// readAddress gives the address the last daemon wrote; it may be long dead.
func readAddress(home string) (string, error) {
	b, err := os.ReadFile(addressFile(home))
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(string(b), "\n"), nil
}

// socketPath is a path short enough for a socket: in the home if it fits, else
// in a folder of this home in runtime ($XDG_RUNTIME_DIR, may be empty), else in
// /tmp. Its folder is made and is this user's alone.
func socketPath(home, runtime string) (string, error) {
	dir, err := daemonDir(home)
	if err != nil {
		return "", err
	}
	if path := filepath.Join(dir, "socket"); len(path) <= maxSocketPath {
		return path, nil
	}
	dir = shortDir(home, runtime)
	if err := ownFolder(dir); err != nil {
		return "", kedge.Errorf(kedge.KindOf(err), "the path %q is too long for a socket, and Kedge cannot use a shorter one: %w", home, err).
			WithHint("set KEDGE_HOME to a shorter path")
	}
	return filepath.Join(dir, "socket"), nil
}

func shortDir(home, runtime string) string {
	sum := sha256.Sum256([]byte(home))
	hash := hex.EncodeToString(sum[:8])
	dir := filepath.Join(runtime, "kedge-"+hash)
	if filepath.IsAbs(runtime) && len(dir)+1+maxHeldName <= maxHeldPath && usable(runtime) {
		return dir
	}
	return fmt.Sprintf("/tmp/kedge-%d-%s", os.Geteuid(), hash)
}

func usable(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && private(dir, info) == nil
}

// removeStale removes a dead daemon's socket, and nothing that is not a socket.
func removeStale(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return kedge.Errorf(kedge.Internal, "the daemon cannot check the path of its socket, %q: %w", path, cause(err))
	}
	if info.Mode().Type() != fs.ModeSocket {
		return kedge.Errorf(kedge.Conflict, "%q is not a socket, and the daemon needs that path for its socket", path).
			WithHint("move the file away: mv '%s' '%s.old'", path, path)
	}
	if err := os.Remove(path); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot remove the socket %q that a dead daemon left: %w", path, cause(err))
	}
	return nil
}

// ownListener lets in connections of one user only. The folder and the socket
// keep others out already; this holds when their modes are changed.
type ownListener struct {
	net.Listener
	uid int
	log *slog.Logger
}

// Accept gives the next connection of the right user; the others are closed.
func (l *ownListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if err := checkPeer(c, l.uid); err != nil {
			l.log.Warn("refused a connection", "reason", err.Error())
			_ = c.Close()
			continue
		}
		return c, nil
	}
}

// checkPeer refuses a connection whose other end is not the given user.
func checkPeer(c net.Conn, uid int) error {
	got, err := process.UID(c)
	if err != nil {
		return err
	}
	if got != uid {
		return kedge.Errorf(kedge.Conflict, "the program at the other end of the socket belongs to user %d, not to user %d", got, uid)
	}
	return nil
}

func bareNet(err error) error {
	if oe, ok := errors.AsType[*net.OpError](err); ok {
		return oe.Err
	}
	return err
}
