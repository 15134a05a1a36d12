package hold

// maxDepth bounds the way up: a table that changes while it is read could show
// a circle.
const maxDepth = 256

// Ancestors gives pid and the processes it descends from, the nearest first. It
// is not known when pid itself is gone, or they change faster than they can be
// looked at.
func Ancestors(pid int) (up []int, known bool) {
	for range maxDepth {
		if up, known = walkUp(pid); known || len(up) == 1 {
			return up, known
		}
	}
	return up, false
}

// walkUp is one look at the way up; one that dies meanwhile breaks it off, and
// its children have another parent by then.
func walkUp(pid int) (up []int, whole bool) {
	for pid > 1 && len(up) < maxDepth {
		up = append(up, pid)
		s, ok := statOf(pid)
		if !ok {
			return up, false
		}
		pid = s.ppid
	}
	return up, true
}
