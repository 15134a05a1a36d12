package check_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/check"
	"kedge/internal/core/config"
	"kedge/internal/core/plan"
)

// faults are checks that nobody may have, as gate.toml and as features.json write them,
// and what is said of both.
var faults = []struct{ name, toml, json, want string }{
	{"name", `name = "../a"` + "\nrun = 'x'", `{"name":"../a","run":"x"}`, `check "../a": its name must be 1 to 64 of a-z, 0-9, dot, dash and underscore`},
	{"no name", `run = 'x'`, `{"run":"x"}`, `check "": its name must be`},
	{"kind", "name = 'a'\nrun = 'x'\nkind = 'unit'", `{"name":"a","run":"x","kind":"unit"}`, `check "a": there is no kind "unit"`},
	{"nothing to do", "name = 'a'", `{"name":"a"}`, `check "a": it needs run, touched`},
	{"a blank line", "name = 'a'\nrun = ' '", `{"name":"a","run":" "}`, `check "a": it needs run, touched`},
	{"two things to do", "name = 'a'\nrun = 'x'\nhttp = { url = 'http://h/' }", `{"name":"a","run":"x","http":{"url":"http://h/"}}`, `check "a": one check cannot have run and http`},
	{"kind of another form", "name = 'a'\nrun = 'x'\nkind = 'http'", `{"name":"a","run":"x","kind":"http"}`, `check "a": kind "http" does not go with run; run goes with kind test, integration, build or e2e`},
	{"kind of a command", "name = 'a'\nkind = 'e2e'\nhttp = { url = 'http://h/' }", `{"name":"a","kind":"e2e","http":{"url":"http://h/"}}`, `check "a": kind "e2e" does not go with http; http goes with kind http`},
	{"exclusive", "name = 'a'\nrun = 'x'\nexclusive = '../../x'", `{"name":"a","run":"x","exclusive":"../../x"}`, `check "a": exclusive "../../x" is not a name; a name has 1 to 64 of`},
	{"exclusive of http", "name = 'a'\nexclusive = 'a/b'\nhttp = { url = 'http://h/' }", `{"name":"a","exclusive":"a/b","http":{"url":"http://h/"}}`, `check "a": exclusive "a/b" is not a name`},
	{"no duration", "name = 'a'\nrun = 'x'\ntimeout = 'soon'", `{"name":"a","run":"x","timeout":"soon"}`, `check "a": timeout "soon" is not a duration such as "5m" (at most 168h)`},
	{"too long", "name = 'a'\nrun = 'x'\ntimeout = '200h'", `{"name":"a","run":"x","timeout":"200h"}`, `check "a": timeout "200h" is not a duration such as "5m" (at most 168h)`},
	{"negative", "name = 'a'\nrun = 'x'\ntimeout = '-5m'", `{"name":"a","run":"x","timeout":"-5m"}`, `check "a": timeout "-5m" is not a duration`},
	{"no time", "name = 'a'\nrun = 'x'\ntimeout = '0s'", `{"name":"a","run":"x","timeout":"0s"}`, `check "a": timeout "0s" must be more than 0`},
	{"touched", "name = 'a'\ntouched = 'go test'", `{"name":"a","touched":"go test"}`, `check "a": touched has neither {packages} nor {paths}`},
	{"NUL", "name = 'a'\nrun = \"x\\u0000\"", `{"name":"a","run":"x\u0000"}`, `check "a": run holds a NUL byte`},
	{"paths", "name = 'a'\nrun = 'x'\npaths = ['[']", `{"name":"a","run":"x","paths":["["]}`, `check "a": paths: pattern "["`},
	{"evidence", "name = 'a'\nrun = 'x'\nevidence = ['/etc/*']", `{"name":"a","run":"x","evidence":["/etc/*"]}`, `check "a": evidence: pattern "/etc/*" is absolute`},
	{"url", "name = 'a'\nhttp = { url = 'file:///etc' }", `{"name":"a","http":{"url":"file:///etc"}}`, `check "a": http.url "file:///etc" is not an http address`},
	{"method", "name = 'a'\nhttp = { url = 'http://h', method = 'get' }", `{"name":"a","http":{"url":"http://h","method":"get"}}`, `check "a": http.method "get" is not in capital letters`},
	{"status", "name = 'a'\nhttp = { url = 'http://h', status = 99 }", `{"name":"a","http":{"url":"http://h","status":99}}`, `check "a": http.status 99 is not between 100 and 599`},
	{"tcp elsewhere", "name = 'a'\ntcp = '10.0.0.1:80'", `{"name":"a","tcp":"10.0.0.1:80"}`, `check "a": tcp "10.0.0.1:80" is not the address of a port of this machine, such as 127.0.0.1:8080 or localhost:{port}`},
	{"tcp by name", "name = 'a'\ntcp = 'db.example.com:5432'", `{"name":"a","tcp":"db.example.com:5432"}`, `check "a": tcp "db.example.com:5432" is not the address of a port of this machine`},
	{"tcp without a port", "name = 'a'\ntcp = '127.0.0.1'", `{"name":"a","tcp":"127.0.0.1"}`, `check "a": tcp "127.0.0.1" is not the address of a port`},
	{"tcp port 0", "name = 'a'\ntcp = '127.0.0.1:0'", `{"name":"a","tcp":"127.0.0.1:0"}`, `check "a": tcp "127.0.0.1:0" is not the address of a port`},
	{"tcp with half a port", "name = 'a'\ntcp = '127.0.0.1:8{port}'", `{"name":"a","tcp":"127.0.0.1:8{port}"}`, `check "a": tcp "127.0.0.1:8{port}" is not the address of a port`},
	{"tcp and run", "name = 'a'\nrun = 'x'\ntcp = '127.0.0.1:80'", `{"name":"a","run":"x","tcp":"127.0.0.1:80"}`, `check "a": one check cannot have run and tcp`},
	{"tcp of another kind", "name = 'a'\nkind = 'http'\ntcp = '127.0.0.1:80'", `{"name":"a","kind":"http","tcp":"127.0.0.1:80"}`, `check "a": kind "http" does not go with tcp; tcp goes with kind tcp`},
	{"tcp for too long", "name = 'a'\ntimeout = '200h'\ntcp = '127.0.0.1:80'", `{"name":"a","timeout":"200h","tcp":"127.0.0.1:80"}`, `check "a": timeout "200h" is not`},
	{"twice", "name = 'a'\nrun = 'x'\n[[check]]\nname = 'a'\nrun = 'y'", `{"name":"a","run":"x"},{"name":"a","run":"y"}`, `two checks are called "a"`},
}

// TestTheSameFaultIsToldInTheSameWords: in a gate's check and in a feature's.
func TestTheSameFaultIsToldInTheSameWords(t *testing.T) {
	line := regexp.MustCompile(`^gate\.toml:\d+: `)
	for _, tt := range faults {
		t.Run(tt.name, func(t *testing.T) {
			_, err := config.ParseGate("gate.toml", []byte("version = 1\n[[check]]\n"+tt.toml))
			if !kedge.Invalid.Is(err) || !line.MatchString(err.Error()) || !strings.HasPrefix(kedge.HintOf(err), "edit gate.toml: ") {
				t.Fatalf("gate.toml: %v (%s)", err, kedge.HintOf(err))
			}
			inGate := line.ReplaceAllString(err.Error(), "")
			var d kedge.Definition
			if err := json.Unmarshal([]byte(`{"id":"f","name":"F","checks":[`+tt.json+`]}`), &d); err != nil {
				t.Fatal(err)
			}
			err = plan.Validate([]kedge.Feature{{Definition: d}})
			if !kedge.Invalid.Is(err) || kedge.HintOf(err) == "" {
				t.Fatalf("features.json: %v", err)
			}
			inFeature, ok := strings.CutPrefix(err.Error(), `feature "f": `)
			if !ok || inFeature != inGate || !strings.HasPrefix(inGate, tt.want) {
				t.Errorf("gate.toml says\n%s\nfeatures.json says\n%s\nwant\n%s", inGate, inFeature, tt.want)
			}
		})
	}
}

// TestEveryFormHasFaults: the table above looks at every key of every form.
func TestEveryFormHasFaults(t *testing.T) {
	for _, f := range check.Forms() {
		for _, key := range f.Keys {
			found := false
			for _, tt := range faults {
				found = found || strings.Contains(tt.want, ": "+key+" ") || strings.Contains(tt.want, ": "+key+".")
			}
			if !found {
				t.Errorf("no fault of the key %q is tested", key)
			}
		}
	}
}

// TestValidChecks: what either file may have, both may.
func TestValidChecks(t *testing.T) {
	for _, tt := range []struct{ toml, json string }{
		{"name = 'unit'\nrun = 'x'\ntimeout = '168h'\nexclusive = 'db'", `{"name":"unit","run":"x","timeout":"168h","exclusive":"db"}`},
		{"name = 'http'\nrun = 'x'", `{"name":"http","run":"x"}`},
		{"name = 'unit'\nrun = 'x'\ntouched = 'y {paths}'", `{"name":"unit","run":"x","touched":"y {paths}"}`},
		{"name = 'port'\ntcp = '127.0.0.1:{port}'", `{"name":"port","tcp":"127.0.0.1:{port}"}`},
		{"name = 'port'\ntcp = '[::1]:5432'", `{"name":"port","kind":"tcp","tcp":"localhost:5432"}`},
		{"name = 'api'\nkind = 'http'\nhttp = { url = 'http://127.0.0.1:{port}/x' }", `{"name":"api","kind":"http","http":{"url":"http://127.0.0.1:{port}/x"}}`},
	} {
		if _, err := config.ParseGate("gate.toml", []byte("version = 1\n[[check]]\n"+tt.toml)); err != nil {
			t.Error(err)
		}
		var c kedge.Check
		if err := json.Unmarshal([]byte(tt.json), &c); err != nil {
			t.Fatal(err)
		}
		f := kedge.Feature{Definition: kedge.Definition{ID: "f", Name: "F", Checks: []kedge.Check{c}}}
		if err := plan.Validate([]kedge.Feature{f}); err != nil {
			t.Error(err)
		}
	}
}
