package kedge

// PlanStatus is where a plan stands.
type PlanStatus string

// The statuses of a plan.
const (
	PlanDrafting  PlanStatus = "drafting"
	PlanWaiting   PlanStatus = "waiting_for_answers"
	PlanReady     PlanStatus = "ready"
	PlanApproved  PlanStatus = "approved"
	PlanDone      PlanStatus = "done"
	PlanAbandoned PlanStatus = "abandoned"
)

// Plan is the goal, its questions, the fixed fields and the ordered phases.
// package plan reads it from plan.md and writes it back to the same bytes.
type Plan struct {
	Version   int         `json:"version"`
	ID        PlanID      `json:"id"`
	Title     string      `json:"title"`
	Status    PlanStatus  `json:"status"`
	Base      string      `json:"base"`
	Questions []Question  `json:"questions"`
	Fields    []PlanField `json:"fields"`
	Phases    []Phase     `json:"phases"`

	// What the fields of these names list, one entry each.
	Assumptions []Statement `json:"assumptions"`
	Invariants  []Statement `json:"invariants"`
	Risks       []Statement `json:"risks"`
	Validation  []string    `json:"validation"` // exact commands
}

// Statement is one entry of Assumptions, Invariants or Risks. One that names neither
// paths nor phases applies to all of the plan.
type Statement struct {
	Text   string   `json:"text"`
	Check  string   `json:"check,omitempty"`  // the command that verifies it
	Paths  []string `json:"paths,omitempty"`  // globs
	Phases []string `json:"phases,omitempty"` // as they were written: numbers, ids or titles
}

// Question is one open or answered question; Answer is empty while it is open.
type Question struct {
	N        int    `json:"n"`
	Text     string `json:"text"`
	Answer   string `json:"answer"`
	Blocking bool   `json:"blocking"`
	Line     int    `json:"line"`
}

// PlanField is one of the fixed sections: Root cause, Files expected to change,
// Assumptions, Invariants, Risks, Validation; or, of a plan that founds a repository, Structure,
// Set-up, Checks.
type PlanField struct {
	Name string `json:"name"`
	Text string `json:"text"`
	Line int    `json:"line"`
}

// Phase is an ordered group of items.
type Phase struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Budget string `json:"budget,omitempty"`
	Model  string `json:"model,omitempty"`
	Prompt string `json:"prompt,omitempty"`
	Items  []Item `json:"items"`
	Line   int    `json:"line"`
}

// Item is one line of a phase; approval makes one feature of it. After names
// items that come first.
type Item struct {
	ID     string   `json:"id"`
	Text   string   `json:"text"`
	Done   bool     `json:"done"`
	Checks []string `json:"checks"`
	Paths  []string `json:"paths"`
	After  []string `json:"after"`
	Line   int      `json:"line"`
}
