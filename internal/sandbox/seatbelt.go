package sandbox

import (
	"strconv"
	"strings"
)

// seatbelt is the box as a profile of sandbox-exec. The last rule that fits
// counts. Temporary files are shared there: there is no private folder to put in
// the place of the system's.
func (b Box) seatbelt() []string {
	lines := []string{"(version 1)", "(allow default)", "(deny file-write*)", `(allow file-write* (subpath "/dev"))`}
	write := append([]string{b.Dir}, b.Write...)
	write = append(write, b.Temp...)
	for _, w := range write {
		lines = append(lines, "(allow file-write* (subpath "+strconv.Quote(w)+"))")
	}
	for _, g := range b.Guard {
		lines = append(lines, "(deny file-write* (subpath "+strconv.Quote(g)+"))")
	}
	if b.Offline {
		lines = append(lines, "(deny network*)", `(allow network* (local ip "localhost:*"))`, "(allow network* (remote unix-socket))")
	}
	return []string{b.Tool, "-p", strings.Join(lines, "\n")}
}
