package audit

import "slices"

// Change is one thing to do differently, and what it would have saved.
type Change struct {
	Name  string  `json:"name"`
	Do    string  `json:"do"`
	Chars int64   `json:"chars"`
	Share float64 `json:"share"` // of the whole context
}

// Advise gives the three changes that would have saved most, the largest first.
// They overlap: a file read again is often a stale one too.
func Advise(f Figures) []Change {
	all := []Change{
		{"stale_reads", "edit soon after reading; a fresh session per feature", f.StaleReadChars, 0},
		{"rereads", "put files that every session needs into its brief", f.RereadChars, 0},
		{"long_output", "run noisy commands as: kedge exec -- COMMAND", f.LongChars, 0},
		{"failed_attempts", "write into the rules which commands and paths are right", f.Sources.FailedAttempts, 0},
		{"repeated_commands", "run a check once, at the end of a step", f.RepeatedChars, 0},
	}
	whole := f.Composition.Sum()
	list := []Change{}
	for _, c := range all {
		if c.Chars > 0 {
			c.Share = float64(c.Chars) / float64(whole)
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b Change) int { return int(b.Chars - a.Chars) })
	return list[:min(3, len(list))]
}
