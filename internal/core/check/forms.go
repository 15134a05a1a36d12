package check

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"kedge"
)

// Form is one thing that Kedge can do to check the work, and all that is known of it
// but how it is done: the table of runners in package gate of the engine has that.
type Form struct {
	Name    string        // what messages and the table of runners call it
	Keys    []string      // the keys of a check that belong to this form alone
	Free    []string      // those of them whose own keys you choose yourself
	Kinds   []Kind        // the kinds that fit, in the order of a gate; the first is the default
	Timeout time.Duration // what a check gets that does not say
	Shell   bool          // it is a shell line, which ends with an exit code

	has       func(c kedge.Check) bool
	fault     func(c kedge.Check) (key, fix, what string) // what is "" when the form's keys are valid
	text      func(c kedge.Check) string
	same      func(a, b kedge.Check) bool // nil: one run never answers for two checks
	normalize func(c *kedge.Check)        // its own keys; the others are normal already
}

// Kind is when a check runs and what its result means.
type Kind struct {
	Name     kedge.CheckKind
	Marker   kedge.Marker // what the gate ends with when such a check is red first
	Tests    bool         // tests should run: that none did is worth saying
	Services bool         // the project's services must be up
	Leaves   []string     // files that such a check leaves for people to look at, if it does not say
}

// browserFiles are what Playwright and Cypress leave: screenshots, videos, traces, reports.
var browserFiles = []string{"**/test-results/**", "**/playwright-report/**", "**/cypress/screenshots/**", "**/cypress/videos/**"}

// The names of the forms.
const (
	Command = "run"
	Request = "http"
	Connect = "tcp"
)

const (
	commandTimeout = 10 * time.Minute
	requestTimeout = 30 * time.Second
	connectTimeout = 30 * time.Second
)

// PortPlace stands for the port of the project's first service.
const PortPlace = "{port}"

// forms is the table: a gate runs checks in the order of the kinds in it.
var forms = []Form{
	{
		Name: Command, Keys: []string{"run", "touched"}, Timeout: commandTimeout, Shell: true,
		Kinds: []Kind{
			{Name: kedge.CheckTest, Marker: kedge.TestFailure, Tests: true},
			{Name: kedge.CheckIntegration, Marker: kedge.IntegrationFailure, Tests: true},
			{Name: kedge.CheckBuild, Marker: kedge.BuildFailure},
			{Name: kedge.CheckE2E, Marker: kedge.E2EFailure, Tests: true, Services: true, Leaves: browserFiles},
		},
		has:   func(c kedge.Check) bool { return !IsBlank(c.Run) || !IsBlank(c.Touched) },
		fault: commandFault, text: commandText, normalize: normalCommand,
		same: func(a, b kedge.Check) bool { return a.Run == b.Run && a.Touched == b.Touched },
	},
	{
		Name: Request, Keys: []string{"http"}, Free: []string{"http.header", "http.json"}, Timeout: requestTimeout,
		Kinds: []Kind{{Name: kedge.CheckHTTP, Marker: kedge.HTTPFailure, Services: true}},
		has:   func(c kedge.Check) bool { return c.HTTP != nil },
		fault: requestFault, text: requestText, normalize: normalRequest,
		same: nil, // a request may change what the next one finds
	},
	{
		Name: Connect, Keys: []string{"tcp"}, Timeout: connectTimeout,
		Kinds: []Kind{{Name: kedge.CheckTCP, Marker: kedge.TCPFailure, Services: true}},
		has:   func(c kedge.Check) bool { return !IsBlank(c.TCP) },
		fault: connectFault, text: func(c kedge.Check) string { return "tcp " + c.TCP },
		same:      func(a, b kedge.Check) bool { return a.TCP == b.TCP },
		normalize: func(c *kedge.Check) { c.TCP = text(c.TCP) },
	},
}

// Forms gives the table.
func Forms() []Form { return slices.Clone(forms) }

// formKeys are the keys that say what a check does.
func formKeys() (keys []string) {
	for _, f := range forms {
		keys = append(keys, f.Keys...)
	}
	return keys
}

// KindNames are all kinds in the order of a gate.
func KindNames() (names []kedge.CheckKind) {
	for _, f := range forms {
		names = append(names, f.kindNames()...)
	}
	return names
}

// Markers are all words that a gate can end with, the green one first.
func Markers() []kedge.Marker {
	out := []kedge.Marker{kedge.ValidationOK}
	for _, n := range KindNames() {
		out = append(out, Named(n).Marker)
	}
	return out
}

// Rank is the place of a kind in the order of a gate.
func Rank(k Kind) int { return slices.Index(KindNames(), k.Name) }

// Named gives a kind by its name; one that does not exist has no marker.
func Named(name kedge.CheckKind) Kind {
	if k, ok := OfKind(name).kind(name); ok {
		return k
	}
	return Kind{Name: name}
}

// OfKind gives the form that checks of a kind have; the zero Form for an unknown kind.
func OfKind(name kedge.CheckKind) Form {
	for _, f := range forms {
		if _, ok := f.kind(name); ok {
			return f
		}
	}
	return Form{}
}

func (f Form) kind(name kedge.CheckKind) (Kind, bool) {
	i := slices.IndexFunc(f.Kinds, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return Kind{}, false
	}
	return f.Kinds[i], true
}

func (f Form) kindNames() []kedge.CheckKind {
	names := make([]kedge.CheckKind, len(f.Kinds))
	for i, k := range f.Kinds {
		names[i] = k.Name
	}
	return names
}

// IsBlank tells whether a shell line says nothing: it would be green whatever the work is.
func IsBlank(s string) bool { return strings.TrimSpace(s) == "" }

func commandFault(c kedge.Check) (key, fix, what string) {
	for _, line := range []struct{ key, text string }{{"run", c.Run}, {"touched", c.Touched}} {
		if strings.ContainsRune(line.text, 0) {
			return line.key, "remove it", line.key + " holds a NUL byte"
		}
	}
	if c.Touched != "" && !strings.Contains(c.Touched, "{packages}") && !strings.Contains(c.Touched, "{paths}") {
		return "touched", "put {packages} or {paths} into the command, or move it to run", "touched has neither {packages} nor {paths}"
	}
	return "", "", ""
}

func commandText(c kedge.Check) string {
	if IsBlank(c.Run) {
		return c.Touched
	}
	return c.Run
}

func normalCommand(c *kedge.Check) { c.Run, c.Touched = text(c.Run), text(c.Touched) }

func requestFault(c kedge.Check) (key, fix, what string) {
	h := c.HTTP
	_, err := json.Marshal(h.JSON)
	switch {
	case !validURL(Address(*h), "http", "https") || strings.ContainsAny(h.URL, " \t\n"):
		return "http.url", "use a path such as /health, or an address such as http://127.0.0.1:{port}/health", fmt.Sprintf("http.url %q is not an http address", h.URL)
	case strings.Trim(h.Method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "":
		return "http.method", "use a method such as POST", fmt.Sprintf("http.method %q is not in capital letters", h.Method)
	case h.Status != 0 && (h.Status < 100 || h.Status > 599):
		return "http.status", "use a status such as 201", fmt.Sprintf("http.status %d is not between 100 and 599", h.Status)
	case err != nil:
		return "http.json", "write the expected body, or a part of it, as JSON", "http.json has a value that JSON cannot express"
	}
	return "", "", ""
}

func requestText(c kedge.Check) string {
	text := cmp.Or(c.HTTP.Method, get) + " " + c.HTTP.URL
	if c.HTTP.Status != 0 {
		text += " " + strconv.Itoa(c.HTTP.Status)
	}
	return text
}

func normalRequest(c *kedge.Check) {
	if c.HTTP == nil {
		return
	}
	h := *c.HTTP
	h.Method, h.URL, h.Body, h.JSON = text(h.Method), text(h.URL), text(h.Body), jsonValue(h.JSON)
	c.HTTP = &h
}

func connectFault(c kedge.Check) (key, fix, what string) {
	if onThisMachine(c.TCP) {
		return "", "", ""
	}
	return "tcp", "use an address such as 127.0.0.1:{port}",
		fmt.Sprintf("tcp %q is not the address of a port of this machine, such as 127.0.0.1:8080 or localhost:{port}", c.TCP)
}

// onThisMachine tells whether an address is a port of the loopback interface.
func onThisMachine(address string) bool {
	i := strings.LastIndexByte(address, ':')
	if i < 0 {
		return false
	}
	host, port := address[:i], address[i+1:]
	if host == "localhost" {
		host = "127.0.0.1"
	}
	if port == PortPlace {
		port = "1"
	}
	at, err := netip.ParseAddrPort(host + ":" + port)
	return err == nil && at.Addr().IsLoopback() && at.Port() != 0
}

// jsonValue gives a value that was read from TOML the types that encoding/json gives,
// so that it compares with an answer. One that was read from JSON stays unchanged.
func jsonValue(v any) any {
	switch v := v.(type) {
	case nil, bool, string, float64, json.Number:
		return v
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = jsonValue(e)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = jsonValue(e)
		}
		return out
	}
	var out any
	b, err := json.Marshal(v)
	if err != nil || json.Unmarshal(b, &out) != nil {
		return v // Validate refuses it
	}
	return out
}
