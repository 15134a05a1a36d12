package daemon

import "golang.org/x/sys/unix"

// maxSocketPath is the longest path that fits into sun_path with its final NUL.
const maxSocketPath = 107

// credUID is the effective user of the process at the other end of a unix
// socket, as the kernel noted it at connect or listen.
func credUID(fd int) (int, error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return -1, err
	}
	return int(cred.Uid), nil
}
