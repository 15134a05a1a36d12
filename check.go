package kedge

// CheckKind says when a check runs and which marker it gives: see core/check.
type CheckKind string

// The kinds of check, in the order in which a gate runs them.
const (
	CheckTest        CheckKind = "test"
	CheckIntegration CheckKind = "integration"
	CheckBuild       CheckKind = "build"
	CheckE2E         CheckKind = "e2e"
	CheckHTTP        CheckKind = "http"
	CheckTCP         CheckKind = "tcp"
)

// Marker is the one word a gate ends with.
type Marker string

// The markers: green, or that of the first red check's kind.
const (
	ValidationOK       Marker = "VALIDATION_OK"
	TestFailure        Marker = "TEST_FAILURE"
	IntegrationFailure Marker = "INTEGRATION_FAILURE"
	BuildFailure       Marker = "BUILD_FAILURE"
	E2EFailure         Marker = "E2E_FAILURE"
	HTTPFailure        Marker = "HTTP_FAILURE"
	TCPFailure         Marker = "TCP_FAILURE"
)

// Check is something that Kedge itself does to see whether the work is right: it
// runs a command, makes a request or connects to a port. What a valid one is, core/check says.
// Durations are text ("5m"), so that a file gives back what you wrote.
type Check struct {
	Name      string     `json:"name"`
	Kind      CheckKind  `json:"kind,omitempty"`
	Run       string     `json:"run,omitempty"`
	Touched   string     `json:"touched,omitempty"`
	HTTP      *HTTPCheck `json:"http,omitempty"`
	TCP       string     `json:"tcp,omitempty"` // the address that must accept a connection; {port} as in HTTPCheck
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

// Service is a program that checks of some kinds need; it has its own port and
// is gone after the gate.
type Service struct {
	Name    string `json:"name"`
	Run     string `json:"run"`
	Ready   string `json:"ready,omitempty"`
	Timeout string `json:"timeout,omitempty"`
}
