package hold

import (
	"bytes"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// openSlave opens the program's end.
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
