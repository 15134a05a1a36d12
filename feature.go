package kedge

import "time"

// Status is where a feature stands. Only Kedge writes it.
type Status string

// The statuses of a feature.
const (
	Pending     Status = "pending"
	InProgress  Status = "in_progress"
	Completed   Status = "completed"
	BlockedWork Status = "blocked"
	NeedsReview Status = "needs_review"
	Regressed   Status = "regressed"
	Skipped     Status = "skipped"
)

// Statuses lists every status in the order in which they are counted and shown.
var Statuses = []Status{Pending, InProgress, Completed, BlockedWork, NeedsReview, Regressed, Skipped}

// Valid tells whether s is one of Statuses.
func (s Status) Valid() bool {
	for _, t := range Statuses {
		if s == t {
			return true
		}
	}
	return false
}

// Feature is one verifiable unit of work: a locked definition, and a state that
// only Kedge writes. Its JSON is that of features.json.
type Feature struct {
	Definition
	FeatureState
}

// Definition is the locked half of a feature. It changes only by a person's
// amend with a reason.
type Definition struct {
	ID           FeatureID   `json:"id"`
	Name         string      `json:"name"`
	Phase        string      `json:"phase"`
	Category     string      `json:"category"`
	Priority     int         `json:"priority"`
	Description  string      `json:"description"`
	Dependencies []FeatureID `json:"dependencies"`
	Acceptance   []string    `json:"acceptance"`
	Steps        []string    `json:"steps"`
	Paths        []string    `json:"paths"`
	Checks       []Check     `json:"checks"`
	Budget       Budget      `json:"budget"`
}

// FeatureState is the half that Kedge writes.
type FeatureState struct {
	Status      Status      `json:"status"`
	Files       []string    `json:"files"`
	Notes       string      `json:"notes"`
	CompletedAt *time.Time  `json:"completedAt"`
	Evidence    *EvidenceID `json:"evidence"`
}

// Budget bounds what a feature may cost; 0 is no limit of its own.
type Budget struct {
	Tokens   int64   `json:"tokens,omitempty"`
	USD      float64 `json:"usd,omitempty"`
	Attempts int     `json:"attempts,omitempty"`
}

// CheckKind orders checks: test, integration, build, e2e, http.
type CheckKind string

// The kinds of check, in the order in which a gate runs them.
const (
	CheckTest        CheckKind = "test"
	CheckIntegration CheckKind = "integration"
	CheckBuild       CheckKind = "build"
	CheckE2E         CheckKind = "e2e"
	CheckHTTP        CheckKind = "http"
)

// CheckKinds lists the kinds in gate order.
var CheckKinds = []CheckKind{CheckTest, CheckIntegration, CheckBuild, CheckE2E, CheckHTTP}

// Check is a command or an HTTP request that Kedge itself runs. Durations are
// text ("5m"), so that a file gives back what a person wrote.
type Check struct {
	Name      string     `json:"name"`
	Kind      CheckKind  `json:"kind,omitempty"`
	Run       string     `json:"run,omitempty"`
	Touched   string     `json:"touched,omitempty"`
	HTTP      *HTTPCheck `json:"http,omitempty"`
	Timeout   string     `json:"timeout,omitempty"`
	Prove     string     `json:"prove,omitempty"` // fails (default for a feature's check) or holds
	Paths     []string   `json:"paths,omitempty"`
	Exclusive string     `json:"exclusive,omitempty"`
	Evidence  []string   `json:"evidence,omitempty"`
}

// HTTPCheck is a request and what its answer must be. {port} in URL is the port
// of the gate's service. JSON is matched as a subset of the answer's body.
type HTTPCheck struct {
	Method string            `json:"method,omitempty"`
	URL    string            `json:"url"`
	Header map[string]string `json:"header,omitempty"`
	Body   string            `json:"body,omitempty"`
	Status int               `json:"status,omitempty"`
	JSON   any               `json:"json,omitempty"`
}

// Service is a program that http and e2e checks need; it has its own port and
// is gone after the gate.
type Service struct {
	Name    string `json:"name"`
	Run     string `json:"run"`
	Ready   string `json:"ready,omitempty"`
	Timeout string `json:"timeout,omitempty"`
}

// Next is the exact resume point: what `kedge next` prints.
type Next struct {
	Feature *Feature `json:"feature"`
	Phase   string   `json:"phase"`
	Item    string   `json:"item"`
	Branch  string   `json:"branch"`
	Commit  string   `json:"commit"`
	Command string   `json:"command"`
	Why     string   `json:"why"`
}

// EffectiveKind is the kind a check runs as: the one it names, else http for a
// request, else the kind it is named after, else test.
func (c Check) EffectiveKind() CheckKind {
	switch {
	case c.Kind != "":
		return c.Kind
	case c.HTTP != nil:
		return CheckHTTP
	case c.Name != string(CheckHTTP) && MarkerOf[CheckKind(c.Name)] != "":
		return CheckKind(c.Name)
	}
	return CheckTest
}
