package process

import (
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"kedge"
)

// Terminal is a person's terminal: what is typed comes from In, what is printed
// goes to Out.
type Terminal struct {
	In, Out *os.File
}

// OpenTerminal gives the terminal behind two files; ok is false when they are none.
func OpenTerminal(in, out *os.File) (t Terminal, ok bool) {
	return Terminal{In: in, Out: out}, IsTerminal(in) && IsTerminal(out)
}

// IsTerminal tells whether f is a terminal.
func IsTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), getTermios)
	return err == nil
}

// Size is the terminal's size in characters.
func (t Terminal) Size() (cols, rows int, err error) {
	ws, err := unix.IoctlGetWinsize(int(t.Out.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, 0, kedge.Errorf(kedge.Internal, "cannot read the size of the terminal: %w", err)
	}
	return int(ws.Col), int(ws.Row), nil
}

// Foreground tells whether this process is in the group that the terminal's keys go to.
// A terminal that does not say, because it is no control over this process, has no
// background.
func (t Terminal) Foreground() bool {
	group, err := unix.IoctlGetInt(int(t.Out.Fd()), unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp()
}

// undo turns off whatever a full-screen program may have turned on: hidden
// cursor, mouse reports, bracketed paste, focus reports, keypad modes, an open link, tab
// stops. It begins with CAN: a sequence that the program has not ended would take it in.
const undo = "\x18\x1b[?25h\x1b]8;;\x1b\\\x1b[?5W\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l" +
	"\x1b[?2004l\x1b[?2026l\x1b[?2031l\x1b[?2048l\x1b[?1l\x1b>\x1b[<9u\x1b[>4;0m\x1b[?5l\x1b[4l\x1b[20l\x1b[?7h\x1b(B\x0f\x1b[0 q\x1b[0m"

// Usual makes a terminal take keys and show text as usual, wherever its cursor is.
const Usual = undo + "\x1b[?6l\x1b[?69l\x1b[r"

// UsualColours takes back the colours that a program gave the terminal. It is for those
// terminals only: a person may have given others to theirs.
const UsualColours = "\x1b]104\x1b\\\x1b]110\x1b\\\x1b]111\x1b\\\x1b]112\x1b\\\x1b]117\x1b\\\x1b]119\x1b\\"

// apart makes a terminal count characters as shells do: to paint some of them, and by
// programs, mode 2027 is turned on.
const apart = "\x1b[?2027l"

// SecondScreen enters the screen that full-screen programs paint on.
const SecondScreen = "\x1b[?1049h"

// Leaving is how a terminal is left; every one takes margins away, which moves the
// cursor home.
type Leaving string

// The ways to leave. Whoever leaves a program that goes on is put below the last row:
// the cursor may be anywhere, with text under it. One that has ended has left the
// cursor where things go on, as for a shell: there, or on the next line.
const (
	LeaveSecond     Leaving = "\x1b[r\x1b[?1049l\x1b[<9u\x1b[999;1H\r\n"
	LeaveBelowAll   Leaving = "\x1b[r\x1b[999;1H\r\n"
	LeaveCover      Leaving = "\x1b[r\x1b[?1049l" // of a second screen that was Kedge's own
	LeaveInPlace    Leaving = "\x1b7\x1b[r\x1b8"
	LeaveOnNextLine Leaving = LeaveInPlace + "\r\n"
)

// ScrollAway gives an empty screen of so many rows; what stood on it can still be
// scrolled back to.
func ScrollAway(rows int) string {
	return "\x1b[999;1H" + strings.Repeat("\n", rows) + "\x1b[H"
}

// Raw makes every key reach the reader as it is. restore gives the terminal
// back, in the way that it is told, and may be called more than once.
func (t Terminal) Raw() (restore func(Leaving), err error) {
	fd := int(t.In.Fd())
	old, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot read the settings of the terminal: %w", err)
	}
	raw := *old
	raw.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
	raw.Oflag &^= unix.OPOST
	raw.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	raw.Cflag = raw.Cflag&^(unix.CSIZE|unix.PARENB) | unix.CS8
	raw.Cc[unix.VMIN], raw.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(fd, setTermios, &raw); err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot switch the terminal to raw mode: %w", err)
	}
	done := false
	return func(way Leaving) {
		if done {
			return
		}
		done = true
		_, _ = t.Out.WriteString(undo + apart + string(way)) // a terminal that is gone needs no way back
		_ = unix.IoctlSetTermios(fd, setTermios, old)
	}, nil
}

// Resized tells of every change of size until stop is called.
func (t Terminal) Resized() (changes <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGWINCH)
	return c, func() { signal.Stop(c) }
}

// Keys gives what is typed, through a file of its own that a read waits for
// without keeping a thread: a thread that waits makes everything else wait for
// milliseconds after each key. Where there is none it is In itself. Closing it
// leaves the terminal as it is.
func (t Terminal) Keys() (f *os.File, release func()) {
	name, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(int(t.In.Fd())))
	if err == nil && strings.HasPrefix(name, "/dev/") {
		if f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NOCTTY|unix.O_NONBLOCK, 0); err == nil {
			return f, func() { _ = f.Close() } // only read
		}
	}
	return t.In, func() {}
}
