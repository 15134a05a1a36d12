package config

import (
	"strconv"
	"strings"

	"kedge"
)

// RoutedWork is what a session is for.
type RoutedWork struct {
	Purpose  string // plan, implement, repair or fix
	Category string // of the feature
	Phase    string // of the plan, by id
	Priority int    // of the feature; without one, the largest number
	Model    string // that the plan names for the phase
	Given    string // the agent that a person named with the run
	Usual    string // the run's agent
	Fallback string // that the run fell back to at a provider's limit
}

// ChooseAgent gives the agent of the work. Its Agent is empty only where nobody named one.
func ChooseAgent(t Route, w RoutedWork) kedge.Routed {
	if w.Fallback != "" {
		return routed("route.fallback", w.Fallback, "the provider of the previous session is at its limit")
	}
	if w.Given != "" && !(w.Purpose == "plan" && t.Plan != "") {
		return planned(routed("--agent", w.Given, "you named it for this run"), w, true)
	}
	for i, row := range t.Rows {
		if why, ok := fits(row, w); ok {
			return planned(routed("route.rows["+strconv.Itoa(i+1)+"]", row.Use, why), w, false)
		}
	}
	if key, use, why := byKind(t, w); use != "" {
		return planned(routed(key, use, why), w, true)
	}
	return planned(routed("run.agent", w.Usual, "no row of [route] fits this work"), w, true)
}

func routed(row, use, why string) kedge.Routed {
	name, model, _ := strings.Cut(use, ":")
	return kedge.Routed{Row: row, Agent: name, Model: model, Why: why}
}

// planned takes the model that the plan names for the phase. It counts more than the
// model of a row for a kind of work, and less than that of a row that was written
// for exactly this work.
func planned(r kedge.Routed, w RoutedWork, over bool) kedge.Routed {
	if w.Model != "" && w.Purpose != "plan" && r.Agent != "" && (over || r.Model == "") {
		r.Model = w.Model
		r.Why += "; the plan names the model of the phase"
	}
	return r
}

// fits tells whether a row is for the work, and by what.
func fits(row RouteRow, w RoutedWork) (string, bool) {
	var why []string
	for _, f := range []struct{ what, want, is string }{
		{"purpose", row.Purpose, w.Purpose}, {"phase", row.Phase, w.Phase}, {"category", row.Category, w.Category},
	} {
		if f.want == "" {
			continue
		}
		if f.want != f.is {
			return "", false
		}
		why = append(why, f.what+" "+f.want)
	}
	if row.Priority > 0 {
		if w.Priority > row.Priority {
			return "", false
		}
		why = append(why, "priority "+strconv.Itoa(w.Priority)+" is at most "+strconv.Itoa(row.Priority))
	}
	if len(why) == 0 {
		return "this row is for all work", true
	}
	return strings.Join(why, ", "), true
}

// byKind is the row for the kind of work. Work that has none is done by who
// implements.
func byKind(t Route, w RoutedWork) (key, use, why string) {
	for _, k := range []struct {
		key, use string
		is       bool
		why      string
	}{
		{"route.plan", t.Plan, w.Purpose == "plan", "it is planning work"},
		{"route.repair", t.Repair, w.Purpose == "repair", "it repairs a red check"},
		{"route.fix", t.Fix, w.Purpose == "fix", "it fixes a red baseline"},
		{"route.test", t.Test, w.Purpose == "implement" && w.Category == "test", "the feature's category is test"},
		{"route.review", t.Review, w.Purpose == "implement" && w.Category == "review", "the feature's category is review"},
		{"route.implement", t.Implement, w.Purpose != "plan", "it implements a feature"},
	} {
		if k.is && k.use != "" {
			if k.key == "route.implement" && w.Purpose != "implement" {
				k.why = "[route] has no row for " + w.Purpose
			}
			return k.key, k.use, k.why
		}
	}
	return "", "", ""
}
