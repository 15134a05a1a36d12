package hardened

// LockFile is the lock file that git's complaint names.
func LockFile(g *Git, stderr string) string {
	return g.lockFile(Call{}, &failure{stderr: stderr})
}

// ParseSettings reads what git says of a configuration.
func ParseSettings(s string) int {
	set, _ := parseSettings(Fields([]byte(s)))
	return len(set.Filters)
}
