package hold

import (
	"bytes"
	"os"
	"unsafe"

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

func openSlave(m, cols, rows int) (*os.File, error) {
	var name [128]byte
	for _, call := range []struct {
		request uintptr
		arg     unsafe.Pointer
	}{{unix.TIOCPTYGRANT, nil}, {unix.TIOCPTYUNLK, nil}, {unix.TIOCPTYGNAME, unsafe.Pointer(&name[0])}} {
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(m), call.request, uintptr(call.arg)); errno != 0 {
			return nil, errno
		}
	}
	path, _, _ := bytes.Cut(name[:], []byte{0})
	slave, err := os.OpenFile(string(path), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.IoctlSetWinsize(m, unix.TIOCSWINSZ, &unix.Winsize{Col: uint16(cols), Row: uint16(rows)}); err != nil {
		_ = slave.Close()
		return nil, err
	}
	return slave, nil
}
