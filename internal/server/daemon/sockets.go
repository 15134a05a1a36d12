package daemon

import (
	"os"
	"path/filepath"

	"kedge"
)

// maxHeldPath is the longest socket path that holders take: what fits on every
// system. maxHeldName is the longest name of a socket in the stand-in of a home.
const (
	maxHeldPath = 103
	maxHeldName = 16
)

// SocketDir is a folder for sockets beside the daemon's own, whose names have at
// most name bytes: in the home if the paths fit, else in the stand-in of a home
// whose path is too long. It is made and is this user's alone.
func SocketDir(home, runtime string, name int) (string, error) {
	dir := filepath.Join(home, "run")
	if len(dir)+1+name > maxHeldPath {
		dir = shortDir(home, runtime)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return "", kedge.Errorf(kedge.Internal, "cannot make the folder for the sockets of sessions: %w", cause(err))
	}
	return dir, ownFolder(dir)
}
