package run

// room tells whether one more job may have a worktree: there is at most one more than jobs may
// work at once. Otherwise a job that waits gives its own up first, what waits for you before others.
func (t *stepper) room() bool {
	var waits *Job
	n := 0
	for i := range t.s.Jobs {
		j := &t.s.Jobs[i]
		switch {
		case j.Away || j.Kind == Accept || j.Kind == Undo || j.Phase == Done:
			continue
		case t.s.awaits(j.ID, Park):
			return false
		case t.spares(j) > 0 && (waits == nil || t.spares(j) < t.spares(waits)):
			waits = j
		}
		n++
	}
	switch {
	case n <= t.s.Rules.Parallel:
		return true
	case waits == nil:
		return t.s.Halt != "" // else one ends soon
	case t.s.Live(waits.ID):
		t.endSession(waits, Asking)
	default:
		t.issue(waits, Command{Kind: Park, Base: waits.Base})
	}
	return false
}

// spares orders the jobs that can give their worktree up; 0: not this one.
func (t *stepper) spares(j *Job) int {
	switch live := t.s.Live(j.ID); {
	case j.Phase == Reviewing && !live:
		return 1
	case j.Phase == Asking && !live:
		return 2
	case j.Phase == Ready && !live:
		return 3
	case j.Phase == Asking:
		return 4
	default:
		return 0
	}
}
