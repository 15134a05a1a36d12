package sandbox

import (
	"slices"
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
	guard := b.Guard
	for _, h := range b.Hold {
		guard = append(slices.Clip(guard), h.Path)
	}
	for _, g := range guard {
		lines = append(lines, "(deny file-write* (subpath "+strconv.Quote(g)+"))")
	}
	if b.Offline {
		lines = append(lines, "(deny network*)", `(allow network* (local ip "localhost:*"))`, "(allow network* (remote unix-socket))")
	}
	return []string{b.Tool, "-p", strings.Join(lines, "\n")}
}
