package git

// PathsOf are the paths of changes.
func PathsOf(changes []Change) []string {
	out := make([]string, len(changes))
	for i, c := range changes {
		out[i] = c.Path
	}
	return out
}
