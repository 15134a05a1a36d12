package local

// Kept is how many runs the engine has in memory.
func (e *Local) Kept() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.runs)
}
