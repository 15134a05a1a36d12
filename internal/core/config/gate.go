package config

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"kedge"
	"kedge/internal/text/glob"
)

// Gate is gate.toml: the project's checks in the order of the file, each with
// its kind filled in, and the services that http and e2e checks need.
type Gate struct {
	Checks   []kedge.Check
	Services []kedge.Service
}

// The time a check or a service gets when the file says nothing.
const (
	DefaultTimeout     = 10 * time.Minute // of a command
	DefaultHTTPTimeout = 30 * time.Second // of an http check
	DefaultReady       = 2 * time.Minute  // until a service answers
)

// gateFile is the form of the file. Tables are decoded one by one, so that a
// message names the right one.
type gateFile struct {
	Version int              `toml:"version"`
	Check   []toml.Primitive `toml:"check"`
	Service []toml.Primitive `toml:"service"`
}

type checkTable struct {
	Name      string     `toml:"name"`
	Kind      string     `toml:"kind"`
	Run       string     `toml:"run"`
	Touched   string     `toml:"touched"`
	HTTP      *httpTable `toml:"http"`
	Timeout   string     `toml:"timeout"`
	Paths     []string   `toml:"paths"`
	Exclusive string     `toml:"exclusive"`
	Evidence  []string   `toml:"evidence"`
}

type httpTable struct {
	Method string            `toml:"method"`
	URL    string            `toml:"url"`
	Header map[string]string `toml:"header"`
	Body   string            `toml:"body"`
	Status int               `toml:"status"`
	JSON   any               `toml:"json"`
}

type serviceTable struct {
	Name    string `toml:"name"`
	Run     string `toml:"run"`
	Ready   string `toml:"ready"`
	Timeout string `toml:"timeout"`
}

// ParseGate reads gate.toml; file is only a name for messages. A file without a
// check is valid here: whether that is enough is the gate's question.
func ParseGate(file string, b []byte) (Gate, error) {
	var raw gateFile
	s, err := decodeFile(file, b, &raw)
	if err != nil {
		return Gate{}, err
	}
	checks, err := decodeTables[checkTable](s, "check", raw.Check)
	if err != nil {
		return Gate{}, err
	}
	services, err := decodeTables[serviceTable](s, "service", raw.Service)
	if err != nil {
		return Gate{}, err
	}
	if err := s.strict(freeGateKey); err != nil {
		return Gate{}, err
	}
	if err := checkVersion(s, raw.Version); err != nil {
		return Gate{}, err
	}
	return s.gate(checks, services)
}

func decodeTables[T any](s *source, name string, raw []toml.Primitive) ([]T, error) {
	out := make([]T, len(raw))
	for i, p := range raw {
		if err := s.md.PrimitiveDecode(p, &out[i]); err != nil {
			return nil, s.wrap(err, fmt.Sprintf("%s[%d]", name, i))
		}
	}
	return out, nil
}

func (s *source) gate(checks []checkTable, services []serviceTable) (Gate, error) {
	g := Gate{Checks: []kedge.Check{}, Services: []kedge.Service{}}
	for i, t := range checks {
		c, err := s.check(fmt.Sprintf("check[%d]", i), t)
		if err != nil {
			return Gate{}, err
		}
		g.Checks = append(g.Checks, c)
	}
	for i, t := range services {
		v := kedge.Service(t)
		if key, err := serviceError(v); err != nil {
			return Gate{}, s.at(fmt.Sprintf("service[%d].%s", i, key), "%v", err)
		}
		g.Services = append(g.Services, v)
	}
	return g, s.unique(g)
}

func freeGateKey(key string) bool {
	return strings.HasPrefix(key, "check.http.json.") || key == "check.http.json" || strings.HasPrefix(key, "check.http.header.")
}

func (s *source) check(at string, t checkTable) (kedge.Check, error) {
	c := kedge.Check{
		Name: t.Name, Kind: kedge.CheckKind(t.Kind), Run: t.Run, Touched: t.Touched, Timeout: t.Timeout,
		Paths: t.Paths, Exclusive: t.Exclusive, Evidence: t.Evidence,
	}
	if t.HTTP != nil {
		h, err := s.http(at+".http", *t.HTTP)
		if err != nil {
			return kedge.Check{}, err
		}
		c.HTTP = h
	}
	if key, err := CheckError(c); err != nil {
		return kedge.Check{}, s.at(at+"."+key, "%v", err)
	}
	c.Kind = c.EffectiveKind()
	return c, nil
}

// http turns the table into the check; the wanted JSON takes the types that
// encoding/json gives, so that it compares with an answer.
func (s *source) http(at string, t httpTable) (*kedge.HTTPCheck, error) {
	h := &kedge.HTTPCheck{Method: t.Method, URL: t.URL, Header: t.Header, Body: t.Body, Status: t.Status}
	if t.JSON == nil {
		return h, nil
	}
	b, err := json.Marshal(t.JSON)
	if err != nil {
		return nil, s.at(at+".json", "%q has a value that JSON does not have", "json")
	}
	return h, json.Unmarshal(b, &h.JSON)
}

func (s *source) unique(g Gate) error {
	seen := map[string]bool{}
	for i, c := range g.Checks {
		if seen[c.Name] {
			return s.at(fmt.Sprintf("check[%d].name", i), "two checks are called %q", c.Name)
		}
		seen[c.Name] = true
	}
	seen = map[string]bool{}
	for i, v := range g.Services {
		if seen[v.Name] {
			return s.at(fmt.Sprintf("service[%d].name", i), "two services are called %q", v.Name)
		}
		seen[v.Name] = true
	}
	return nil
}

// CheckError says what is wrong with a check, and the key it stands under. It
// holds for the checks of gate.toml and for those of a feature.
func CheckError(c kedge.Check) (key string, err error) {
	switch {
	case !kedge.ValidName(c.Name):
		return "name", fmt.Errorf("a check's name is of a-z, 0-9, dot, dash, underscore, not %q", c.Name)
	case c.Kind != "" && kedge.MarkerOf[c.Kind] == "":
		return "kind", fmt.Errorf("the kind of check %q is not one of test, integration, build, e2e, http: %q", c.Name, c.Kind)
	case (c.HTTP != nil) == (c.Run != "" || c.Touched != ""):
		return "name", fmt.Errorf("check %q needs either a command (run or touched) or http", c.Name)
	case (c.EffectiveKind() == kedge.CheckHTTP) != (c.HTTP != nil):
		return "kind", fmt.Errorf("check %q is of kind http and has no http, or the other way round", c.Name)
	case c.Exclusive != "" && !kedge.ValidName(c.Exclusive):
		return "exclusive", fmt.Errorf("the exclusive name of check %q is of a-z, 0-9, dot, dash, underscore, not %q", c.Name, c.Exclusive)
	case c.Prove != "" && c.Prove != "fails" && c.Prove != "holds":
		return "prove", fmt.Errorf("prove of check %q is neither fails nor holds: %q", c.Name, c.Prove)
	}
	return checkDetails(c)
}

func checkDetails(c kedge.Check) (key string, err error) {
	if err := timeoutError(c.Timeout); err != nil {
		return "timeout", fmt.Errorf("the timeout of check %q: %w", c.Name, err)
	}
	for _, line := range []struct{ key, text string }{{"run", c.Run}, {"touched", c.Touched}} {
		if strings.ContainsRune(line.text, 0) {
			return line.key, fmt.Errorf("%s of check %q holds a NUL byte", line.key, c.Name)
		}
	}
	if c.Touched != "" && !strings.Contains(c.Touched, "{packages}") && !strings.Contains(c.Touched, "{paths}") {
		return "touched", fmt.Errorf("touched of check %q holds neither {packages} nor {paths}", c.Name)
	}
	for _, list := range []struct {
		key      string
		patterns []string
	}{{"paths", c.Paths}, {"evidence", c.Evidence}} {
		if err := patternsError(list.patterns); err != nil {
			return list.key, fmt.Errorf("%s of check %q: %w", list.key, c.Name, err)
		}
	}
	if c.HTTP == nil {
		return "", nil
	}
	return httpError(c.Name, *c.HTTP)
}

func httpError(name string, h kedge.HTTPCheck) (key string, err error) {
	switch {
	case !validURL(h.URL, "http", "https"):
		return "http.url", fmt.Errorf("the url of check %q is not an http address: %q", name, h.URL)
	case h.Method != "" && strings.Trim(h.Method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "":
		return "http.method", fmt.Errorf("the method of check %q is not in capital letters: %q", name, h.Method)
	case h.Status != 0 && (h.Status < 100 || h.Status > 599):
		return "http.status", fmt.Errorf("the status of check %q is not between 100 and 599: %d", name, h.Status)
	}
	return "", nil
}

func serviceError(v kedge.Service) (key string, err error) {
	switch {
	case !kedge.ValidName(v.Name):
		return "name", fmt.Errorf("a service's name is of a-z, 0-9, dot, dash, underscore, not %q", v.Name)
	case v.Run == "" || strings.ContainsRune(v.Run, 0):
		return "run", fmt.Errorf("service %q has no command", v.Name)
	case v.Ready != "" && !validURL(v.Ready, "http", "https", "tcp"):
		return "ready", fmt.Errorf("ready of service %q is not an http or tcp address: %q", v.Name, v.Ready)
	}
	if err := timeoutError(v.Timeout); err != nil {
		return "timeout", fmt.Errorf("the timeout of service %q: %w", v.Name, err)
	}
	return "", nil
}

// validURL takes {port} for a number.
func validURL(s string, schemes ...string) bool {
	u, err := url.Parse(strings.ReplaceAll(s, "{port}", "1"))
	return err == nil && oneOf(u.Scheme, schemes) && u.Hostname() != "" && (u.Scheme != "tcp" || u.Port() != "")
}

func timeoutError(s string) error {
	if s == "" {
		return nil
	}
	d, err := parseDuration(s)
	if err == nil && d == 0 {
		return fmt.Errorf("%q is no time at all", s)
	}
	return err
}

func patternsError(patterns []string) error {
	for _, p := range patterns {
		if err := glob.Valid(p); err != nil {
			return err
		}
	}
	return nil
}

// Timeout is the time the check gets: its own, or the default of its kind.
func Timeout(c kedge.Check) time.Duration {
	if d, err := parseDuration(c.Timeout); err == nil && d > 0 {
		return d
	}
	if c.HTTP != nil {
		return DefaultHTTPTimeout
	}
	return DefaultTimeout
}

// ReadyTimeout is the time a service gets until it answers.
func ReadyTimeout(v kedge.Service) time.Duration {
	if d, err := parseDuration(v.Timeout); err == nil && d > 0 {
		return d
	}
	return DefaultReady
}
