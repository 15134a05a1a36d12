package hold

import (
	"kedge"

	"golang.org/x/sys/unix"
)

// EndLeft ends what is left of a session whose holder is gone, as far as it can
// be known: the program, what descends from it, and, where the system tells it,
// whatever was started with the session's id in its environment. It does nothing
// while the holder lives. It returns how many there were.
func EndLeft(dir string) (int, error) {
	r, err := ReadRecord(dir)
	if kedge.NotFound.Is(err) {
		return 0, nil
	}
	if err != nil || r.Boot != bootID() || alive(r.Holder, r.Boot) {
		return 0, err
	}
	first := leftOf(r)
	until(kinLimit, func() bool {
		now := leftOf(r)
		each(now, unix.SIGKILL)
		return len(now) == 0
	})
	return len(first), nil
}

// leftOf are the living processes of a session without a holder.
func leftOf(r Record) []stat {
	var out []stat
	seen := map[int]bool{}
	add := func(p stat) {
		if !p.zombie && !seen[p.pid] {
			seen[p.pid] = true
			out = append(out, p)
		}
	}
	if p, ok := statOf(r.Child.PID); ok && p.start == r.Child.Start {
		add(p)
		for _, k := range kinOf(p.pid) {
			add(k)
		}
	}
	for _, p := range processes() {
		if environHas(p.pid, "KEDGE_SESSION="+string(r.Session)) {
			add(p)
		}
	}
	return out
}
