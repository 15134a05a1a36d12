package hold

import (
	"os"

	"golang.org/x/sys/unix"
)

// openPTY opens a terminal of the given size; the master end works with
// deadlines.
func openPTY(cols, rows int) (master, slave *os.File, err error) {
	m, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	master = os.NewFile(uintptr(m), "/dev/ptmx")
	slave, err = openSlave(m, cols, rows)
	if err != nil {
		_ = master.Close()
		return nil, nil, err
	}
	return master, slave, nil
}
