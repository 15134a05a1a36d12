package reports

import (
	"cmp"
	"slices"

	"kedge"
	"kedge/internal/engine/gate"
)

// CheckRuns is how often a check ran on the way of a feature.
type CheckRuns struct {
	Check  string      `json:"check"`
	Times  int         `json:"times"`
	Stages []StageRuns `json:"stages"`
}

// StageRuns is how often it ran at one stage of a run; no stage: somebody asked for it.
type StageRuns struct {
	Stage kedge.GateStage `json:"stage"`
	Times int             `json:"times"`
}

// stageOrder is the way of a feature.
var stageOrder = []kedge.GateStage{"", kedge.StageBaseline, kedge.StageProve, kedge.StageGate, kedge.StageIntegrate, kedge.StageRecheck}

// runsOf counts how often each check of some verdicts ran. One whose result was reused, or
// that was skipped, did not. The checks are in the order in which they ran first.
func runsOf(verdicts []kedge.Evidence) []CheckRuns {
	out := []CheckRuns{}
	byAge := slices.SortedStableFunc(slices.Values(verdicts), func(a, b kedge.Evidence) int { return a.At.Compare(b.At) })
	for _, ev := range byAge {
		for _, r := range ev.Verdict.Checks {
			if r.Reused != "" || r.Skipped != "" && !gate.NotDue(r) {
				continue
			}
			i := slices.IndexFunc(out, func(c CheckRuns) bool { return c.Check == r.Name })
			if i < 0 {
				i, out = len(out), append(out, CheckRuns{Check: r.Name})
			}
			out[i].add(ev.For)
		}
	}
	return out
}

// add counts one more run at a stage.
func (c *CheckRuns) add(stage kedge.GateStage) {
	c.Times++
	for i := range c.Stages {
		if c.Stages[i].Stage == stage {
			c.Stages[i].Times++
			return
		}
	}
	c.Stages = append(c.Stages, StageRuns{stage, 1})
	slices.SortFunc(c.Stages, func(a, b StageRuns) int {
		return cmp.Compare(slices.Index(stageOrder, a.Stage), slices.Index(stageOrder, b.Stage))
	})
}
