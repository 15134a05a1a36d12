package kedge

import "time"

// The facts of what people and runs say to each other.
const (
	RunSaid EventType = "run.said" // RunSaidData
)

// SaidHow says which way something was said.
type SaidHow string

// The ways: a person tells a session something, or answers its question; a run
// tells people.
const (
	SaidTold     SaidHow = "told"
	SaidWanted   SaidHow = "wanted" // told why a feature was reopened: what its next session is for
	SaidAnswer   SaidHow = "answer"
	SaidNotified SaidHow = "notified"
)

// RunSaidData is the payload of RunSaid. The same ID said again replaces what
// was said before.
type RunSaidData struct {
	ID       string    `json:"id"` // unique in the project: run and epoch, or run and question
	Run      RunID     `json:"run"`
	How      SaidHow   `json:"how"`
	Feature  FeatureID `json:"feature,omitempty"` // empty: planning, a fix, or the run itself
	Question string    `json:"question,omitempty"`
	Text     string    `json:"text"`
	By       Actor     `json:"by"`
	At       time.Time `json:"at"`
}
