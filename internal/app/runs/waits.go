package runs

import (
	"time"

	"kedge/internal/app/reports"
	"kedge/internal/core/run"
	"kedge/internal/text/words"
)

// waitText says for what a run waits that waits for a provider, and until when; empty
// for any other.
func waitText(st *run.State, now time.Time) string {
	at, told, waits := reports.NextTry(st)
	if st.Status != run.StatusQuota || !waits {
		return ""
	}
	when := at.UTC().Format("2006-01-02 15:04 UTC")
	if wait := at.Sub(now); wait > 0 {
		when += " (in " + words.Age(wait) + ")"
	}
	if !told {
		return "a provider's limit that ends at an unknown time; Kedge tries again at " + when
	}
	return "a provider's limit, until " + when
}

// nextTry is when a job asks a provider again whose limit it waits for; nil: it waits
// for none.
func nextTry(st *run.State, j *run.Job) *time.Time {
	for _, c := range st.Outbox {
		if c.Job == j.ID && c.WaitsForProvider() {
			at := c.At.Add(c.Wait)
			return &at
		}
	}
	return nil
}

// notices are what happened last to the living sessions of a run, a line each.
func (s *Runs) notices(st *run.State) []string {
	var out []string
	for i := range st.Jobs {
		j := &st.Jobs[i]
		if j.Notice.Text == "" || !st.Live(j.ID) {
			continue
		}
		line := words.FirstLine(j.Notice.Text) + ", " + words.Ago(s.home.Now().Sub(j.Notice.At))
		if j.Feature >= 0 && j.Feature < len(st.Features) {
			line = string(st.Features[j.Feature].ID) + ": " + line
		}
		out = append(out, line)
	}
	return out
}
