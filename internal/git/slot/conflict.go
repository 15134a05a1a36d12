package slot

import (
	"slices"

	"kedge"
	"kedge/internal/git"
)

// Resolving says what is done about conflicts in files, by their paths: see
// git.MergeRequest. Nil: nothing.
type Resolving struct {
	Union, Keep func(path string) bool
}

// of puts the rules into the request for a merge.
func (r Resolving) of(q git.MergeRequest) git.MergeRequest {
	q.Union, q.Keep = r.Union, r.Keep
	return q
}

// Conflict is what the next session has to know of work of a job that could not be merged.
type Conflict struct {
	Attempt int             `json:"attempt"`
	From    string          `json:"from"`              // the commit that the work began with
	Onto    string          `json:"onto"`              // the commit that it could not be merged onto
	Work    string          `json:"work"`              // the work, as a tree without Kedges
	Files   []string        `json:"files,omitempty"`   // with conflicts
	Kept    []string        `json:"kept,omitempty"`    // whose conflicts a command was to resolve
	Why     string          `json:"why,omitempty"`     // it did not
	Carried bool            `json:"carried,omitempty"` // the work is in the worktree; else it was set aside
	Salvage kedge.SalvageID `json:"salvage,omitempty"` // where
}

// Conflicting gives the conflict of a merge; nil where it has none.
func Conflicting(m git.Merged, c Conflict) *Conflict {
	if len(m.Conflicts)+len(m.Kept) == 0 {
		return nil
	}
	c.Files, c.Kept = m.Conflicts, m.Kept
	return &c
}

// All are the files that both sides changed.
func (c Conflict) All() []string {
	return slices.Sorted(slices.Values(slices.Concat(c.Files, c.Kept)))
}

// Concerns tells whether a session of an attempt has to know of it: the one that repairs
// the carried work, and the attempt after work that was set aside.
func (c *Conflict) Concerns(attempt int) bool {
	switch {
	case c == nil:
		return false
	case c.Carried:
		return c.Attempt == attempt
	}
	return c.Attempt+1 == attempt
}

// setAside remembers where conflicting work is, before the job forgets what was set aside.
func (j *Job) setAside() {
	if j.Conflict == nil || j.Conflict.Carried || j.Conflict.Salvage != "" || j.Salvage == "" {
		return
	}
	c := *j.Conflict // Keep compares with what it was
	c.Salvage = j.Salvage
	j.Conflict = &c
}
