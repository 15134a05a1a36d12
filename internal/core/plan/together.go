package plan

import (
	"slices"
	"strconv"

	"kedge"
	"kedge/internal/core/check"
)

// Broken is a completed feature with a check that is red.
type Broken struct {
	Feature kedge.Feature
	Result  kedge.CheckResult // by the check's own name
}

// IDsOf are the ids of broken features.
func IDsOf(list []Broken) []kedge.FeatureID {
	var out []kedge.FeatureID
	for _, b := range list {
		out = append(out, b.Feature.ID)
	}
	return out
}

// ownName is the name under which a feature's check runs beside those of others.
func ownName(f kedge.Feature, c kedge.Check) string {
	if name := string(f.ID) + "." + c.Name; kedge.ValidName(name) {
		return name
	}
	return c.Name
}

// Together are the checks of all the features. One that features share is there once.
func Together(features []kedge.Feature) []kedge.Check {
	var out []kedge.Check
	for _, f := range features {
		for _, c := range f.Checks {
			if !slices.ContainsFunc(out, func(o kedge.Check) bool { return check.Same(o, c) }) {
				c.Name = ownName(f, c)
				out = append(out, c)
			}
		}
	}
	return out
}

// SortOut takes the features out whose check is the red one of a verdict.
func SortOut(features []kedge.Feature, v kedge.Verdict) (red []Broken, left []kedge.Feature) {
	at := slices.IndexFunc(v.Checks, func(r kedge.CheckResult) bool { return r.Skipped == "" && r.FirstFailure != nil })
	if at < 0 {
		return nil, features
	}
	r := v.Checks[at]
	var bad kedge.Check
	for _, f := range features {
		for _, c := range f.Checks {
			if bad.Name == "" && ownName(f, c) == r.Name {
				bad = c
			}
		}
	}
	for _, f := range features {
		i := slices.IndexFunc(f.Checks, func(c kedge.Check) bool { return ownName(f, c) == r.Name || check.Same(c, bad) })
		if i < 0 {
			left = append(left, f)
			continue
		}
		own := r
		own.Name = f.Checks[i].Name
		red = append(red, Broken{f, own})
	}
	return red, left
}

// Quoted are ids in quotes.
func Quoted(ids []kedge.FeatureID) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = strconv.Quote(string(id))
	}
	return out
}
