package hold

// maxDepth bounds the way up: a table that changes while it is read could show
// a circle.
const maxDepth = 256

// Ancestors gives pid and the processes it descends from, the nearest first.
func Ancestors(pid int) []int {
	var out []int
	for pid > 1 && len(out) < maxDepth {
		out = append(out, pid)
		s, ok := statOf(pid)
		if !ok {
			break
		}
		pid = s.ppid
	}
	return out
}
