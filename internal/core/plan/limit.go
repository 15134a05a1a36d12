package plan

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"kedge"
)

// The files that may limit what a feature changes, as people know them.
const (
	planFile     = kedge.PlanFile
	featuresFile = kedge.FeaturesFile
)

// LimitedBy names the line that limits a feature to its paths, as FILE:LINE: that
// of the plan it was made from, for as long as nobody amended the paths; else that
// of features.json. It is empty where neither has it. read gives a file of the
// project; nil for one that is not there.
func LimitedBy(d kedge.Definition, read func(file string) []byte) string {
	if len(d.Paths) == 0 {
		return ""
	}
	if doc, err := ParsePlan(planFile, read(planFile)); err == nil {
		if line := doc.limitOf(d); line > 0 {
			return fmt.Sprintf("%s:%d", planFile, line)
		}
	}
	if line := pathsLine(read(featuresFile), d.ID); line > 0 {
		return fmt.Sprintf("%s:%d", featuresFile, line)
	}
	return ""
}

// Limited is a definition with what the work on it may change: its own paths; where
// it names none, those that the plan it was made from expects to change. Features of
// plans that were approved before they got these paths themselves have none. planText
// is plan.md at the base of the work; only an approved plan limits anything.
func Limited(d kedge.Definition, planText []byte) kedge.Definition {
	if len(d.Paths) > 0 {
		return d
	}
	doc, err := ParsePlan(planFile, planText)
	if err != nil || doc.Plan.Status != kedge.PlanApproved {
		return d // what is no approved plan names no files
	}
	for _, ph := range doc.Plan.Phases {
		if ph.ID == d.Phase && slices.ContainsFunc(ph.Items, func(it kedge.Item) bool { return len(it.Paths) == 0 && madeFrom(d, it) }) {
			d.Paths = texts(FilesOf(doc.Plan))
		}
	}
	return d
}

// madeFrom tells whether a feature can be what became of an item.
func madeFrom(d kedge.Definition, it kedge.Item) bool {
	return string(d.ID) == it.ID || strings.HasSuffix(string(d.ID), "-"+it.ID)
}

// LimitText says what a feature may change and, where that is known, which line
// says so.
func LimitText(d kedge.Definition, at string) string {
	text := "it may change " + strings.Join(d.Paths, ", ")
	if at != "" {
		text += " (" + at + ")"
	}
	return text
}

// limitOf is the line that gave a feature the paths that it has; 0 for none.
func (d *Doc) limitOf(def kedge.Definition) int {
	for _, ph := range d.Plan.Phases {
		for _, it := range ph.Items {
			if !madeFrom(def, it) || def.Phase != ph.ID {
				continue
			}
			if len(it.Paths) > 0 && slices.Equal(texts(it.Paths), def.Paths) {
				return d.limited[it.ID]
			}
			if len(it.Paths) == 0 && slices.Equal(texts(FilesOf(d.Plan)), def.Paths) {
				return d.filesLine()
			}
		}
	}
	return 0
}

// filesLine is the line of the heading below which the expected files stand.
func (d *Doc) filesLine() int {
	i := slices.IndexFunc(d.Plan.Fields, func(f kedge.PlanField) bool { return f.Name == filesField })
	if i < 0 {
		return 0
	}
	return d.Plan.Fields[i].Line
}

// pathsLine is the line of a features.json at which a feature's paths begin; 0
// where it has none. It looks for what WriteFeatures writes, one key per line.
func pathsLine(features []byte, id kedge.FeatureID) int {
	within, n := false, 0
	for line := range bytes.Lines(features) {
		n++
		key := strings.TrimSpace(string(line))
		switch {
		case strings.HasPrefix(key, `"id": "`):
			within = key == `"id": "`+string(id)+`",`
		case within && strings.HasPrefix(key, `"paths":`):
			return n
		}
	}
	return 0
}
