package plan

import (
	_ "embed" // the draft

	"kedge"
	"kedge/internal/text/strict"
)

//go:embed template/plan.md
var templateBody string

// Template is a draft to start from: every part of a plan with a comment that
// says what belongs there. It parses; Check says what is still to be filled in.
func Template(title string) []byte {
	doc := strict.NewDoc(templateBody,
		strict.Text("version", "1"),
		strict.Text("title", title),
		strict.Text("status", string(kedge.PlanDrafting)))
	return doc.Bytes()
}
