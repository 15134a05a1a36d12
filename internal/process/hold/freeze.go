package hold

import (
	"slices"

	"golang.org/x/sys/unix"
)

// freezeLooks is how often Freeze looks for processes that were started meanwhile.
const freezeLooks = 50

// Freeze stops the program and everything that grew from it, until Thaw. A parent comes
// before its children, so that none of them is replaced; what was forked between a look
// and a signal is found at the next look.
func (c *Client) Freeze() {
	seen := map[int]uint64{}
	for range freezeLooks {
		found := false
		for _, p := range kinOf(c.Greeting.Holder.PID) {
			if start, ok := seen[p.pid]; !ok || start != p.start {
				p.kill(unix.SIGSTOP)
				seen[p.pid], found = p.start, true
			}
		}
		if !found {
			return
		}
	}
}

// Thaw lets everything that Freeze stopped go on: children first, so that no parent sees
// one of them stopped.
func (c *Client) Thaw() {
	for _, p := range slices.Backward(kinOf(c.Greeting.Holder.PID)) {
		p.kill(unix.SIGCONT)
	}
}
