package config

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"kedge"
	"kedge/internal/core/check"
	"kedge/internal/text/words"
)

// Gate is gate.toml: the project's checks in the order of the file, each with
// its kind filled in, and the services that some of them need.
type Gate struct {
	Checks   []kedge.Check
	Services []kedge.Service
}

// DefaultReady is the time a service gets until it answers when the file says nothing.
const DefaultReady = 2 * time.Minute

// gateFile is the form of the file. Tables are decoded one by one, so that a
// message names the right one.
type gateFile struct {
	Version int              `toml:"version"`
	Check   []toml.Primitive `toml:"check"`
	Service []toml.Primitive `toml:"service"`
}

// gateForm is gateFile with its tables typed: what names a key may have.
type gateForm struct {
	Version int             `toml:"version"`
	Check   []kedge.Check   `toml:"check"`
	Service []kedge.Service `toml:"service"`
}

// ParseGate reads gate.toml; file is only a name for messages. A file without a
// check is valid here: whether that is enough is the gate's question.
func ParseGate(file string, b []byte) (Gate, error) {
	var raw gateFile
	s, err := decodeFile(file, b, &raw)
	if err != nil {
		return Gate{}, err
	}
	checks, err := decodeTables[kedge.Check](s, "check", raw.Check)
	if err != nil {
		return Gate{}, err
	}
	services, err := decodeTables[kedge.Service](s, "service", raw.Service)
	if err != nil {
		return Gate{}, err
	}
	s.form = reflect.TypeFor[gateForm]()
	if err := s.strict(freeGateKey); err != nil {
		return Gate{}, err
	}
	if err := s.without(featureKey); err != nil {
		return Gate{}, err
	}
	if err := checkVersion(s, raw.Version); err != nil {
		return Gate{}, err
	}
	return s.gate(checks, services)
}

// featureKey is what only a feature's check has: it says how the check proves the work.
const featureKey = "check.prove"

func decodeTables[T any](s *source, name string, raw []toml.Primitive) ([]T, error) {
	out := make([]T, len(raw))
	for i, p := range raw {
		if err := s.md.PrimitiveDecode(p, &out[i]); err != nil {
			return nil, s.wrap(err, fmt.Sprintf("%s[%d]", name, i))
		}
	}
	return out, nil
}

// gate validates what was read and fills in the kinds.
func (s *source) gate(checks []kedge.Check, services []kedge.Service) (Gate, error) {
	if faults := check.Faults(checks); len(faults) > 0 {
		return Gate{}, s.fault("check", faults[0])
	}
	if faults := check.ServiceFaults(services); len(faults) > 0 {
		return Gate{}, s.fault("service", faults[0])
	}
	for i, c := range checks {
		checks[i] = check.Normalize(c)
		checks[i].Kind = check.KindOf(c).Name
	}
	return Gate{Checks: checks, Services: services}, nil
}

// fault says where in the file the fault is.
func (s *source) fault(table string, f check.Fault) error {
	return s.at(fmt.Sprintf("%s[%d].%s", table, f.Index, f.Key), "%s", f.What).WithHint("edit %s: %s", s.file, f.Fix)
}

// freeGateKey tells whether a key is one that you choose yourself.
func freeGateKey(key string) bool {
	for _, f := range check.Forms() {
		for _, free := range f.Free {
			if key == "check."+free || strings.HasPrefix(key, "check."+free+".") {
				return true
			}
		}
	}
	return false
}

// ReadyTimeout is the time a service gets until it answers.
func ReadyTimeout(v kedge.Service) time.Duration {
	if d, err := words.ParseDuration(v.Timeout); err == nil && d > 0 {
		return d
	}
	return DefaultReady
}
