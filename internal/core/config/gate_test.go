package config_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/core/check"
	"kedge/internal/core/config"
)

const exampleGate = `version = 1
[[check]]
name = "unit"
kind = "test"
run = "go test ./..."
timeout = "5m"
paths = ["**/*.go", "go.*"]
exclusive = "db"
[[check]]
name = "api"
[check.http]
method = "GET"
url = "http://127.0.0.1:{port}/orders/1"
status = 200
json = { userId = 1, tags = ["a"] }
header = { Accept = "application/json" }
[[check]]
name = "e2e"
touched = "npx playwright test {paths}"
evidence = ["test-results/**"]
[[check]]
name = "port"
tcp = "127.0.0.1:{port}"
[[service]]
name = "web"
run = "npm start"
ready = "http://127.0.0.1:{port}/health"
`

func TestParseGate(t *testing.T) {
	g, err := config.ParseGate("gate.toml", []byte(exampleGate))
	if err != nil {
		t.Fatal(err)
	}
	want := []kedge.Check{
		{Name: "unit", Kind: "test", Run: "go test ./...", Timeout: "5m", Paths: []string{"**/*.go", "go.*"}, Exclusive: "db"},
		{Name: "api", Kind: "http", HTTP: &kedge.HTTPCheck{
			Method: "GET", URL: "http://127.0.0.1:{port}/orders/1", Status: 200,
			Header: map[string]string{"Accept": "application/json"},
			JSON:   map[string]any{"userId": 1.0, "tags": []any{"a"}},
		}},
		{Name: "e2e", Kind: "e2e", Touched: "npx playwright test {paths}", Evidence: []string{"test-results/**"}},
		{Name: "port", Kind: "tcp", TCP: "127.0.0.1:{port}"},
	}
	if !reflect.DeepEqual(g.Checks, want) {
		t.Errorf("checks\n%+v, want\n%+v", g.Checks, want)
	}
	if want := []kedge.Service{{Name: "web", Run: "npm start", Ready: "http://127.0.0.1:{port}/health"}}; !reflect.DeepEqual(g.Services, want) {
		t.Errorf("services %+v", g.Services)
	}
}

func TestParseGateWithoutChecks(t *testing.T) {
	g, err := config.ParseGate("gate.toml", []byte("version = 1\n"))
	if err != nil || len(g.Checks) != 0 {
		t.Errorf("%+v, %v", g, err)
	}
}

func TestParseGateRefuses(t *testing.T) {
	const ok = "version = 1\n[[check]]\nname = 'a'\nrun = 'true'\n"
	for _, tt := range []struct{ name, text, want string }{
		{"no version", "[[check]]\nname = 'a'\nrun = 'true'", "g.toml:1: the file has no version"},
		{"unknown key in the second check", ok + "[[check]]\nname = 'b'\nrum = 'x'", `g.toml:7: unknown key "check.rum": did you mean check.run?`},
		{"unknown key of the file", ok + "[gate]\nx = 1", `g.toml:5: unknown key "gate"`},
		{"unknown key of http", ok + "[[check]]\nname = 'b'\n[check.http]\nurl = 'http://h/'\nbad = 1", `g.toml:9: unknown key "check.http.bad"`},
		{"wrong type in the first check", "version = 1\n[[check]]\nname = 'a'\ntimeout = 5\nrun = 'x'\n[[check]]\nname = 'b'\ntimeout = '5m'", `g.toml:4: "timeout" is an integer, not a string`},
		{"same name", ok + "[[check]]\nname = 'a'\nrun = 'x'", `g.toml:6: two checks are called "a"`},
		{"prove is for features", ok + "prove = 'holds'", `g.toml:5: unknown key "check.prove"`},
		{"prove in an array", "version = 1\ncheck = [{name = 'a', run = 'x', prove = ''}]", `g.toml:2: unknown key "check.prove"`},
		{"another case", "version = 1\n[[check]]\nname = 'a'\nRun = 'x'", `g.toml:4: unknown key "check.Run": did you mean check.run?`},
		{"a wrong type of http", "version = 1\n[[check]]\nname = 'a'\nhttp = 5", `g.toml:4: "http"`},
		{"a wrong type of kind", ok + "kind = 5", `g.toml:5: "kind" is an integer, not a string`},
		{"name", "version = 1\n[[check]]\nname = '../a'\nrun = 'x'", `g.toml:3: check "../a"`},
		{"nothing to run", "version = 1\n[[check]]\nname = 'a'", `g.toml:3: check "a"`},
		{"second check", ok + "[[check]]\nname = 'b'\nrun = 'x'\ntimeout = 'soon'", `g.toml:8: check "b": timeout`},
		{"url", "version = 1\n[[check]]\nname = 'a'\n[check.http]\nurl = 'file:///etc/passwd'", `g.toml:5: check "a": http.url`},
		{"json", "version = 1\n[[check]]\nname = 'a'\nhttp = { url = 'http://h', json = nan }", `g.toml:4: check "a": http.json has a value`},
		{"service without run", ok + "[[service]]\nname = 's'", `g.toml:5: service "s": it has no command`},
		{"service ready", ok + "[[service]]\nname = 's'\nrun = 'x'\nready = 'ftp://x'", `g.toml:8: service "s": ready "ftp://x"`},
		{"two services", ok + "[[service]]\nname = 's'\nrun = 'x'\n[[service]]\nname = 's'\nrun = 'x'", `g.toml:9: two services are called "s"`},
		{"a table, not an array", "version = 1\n[check]\nname = 'a'", `g.toml:2: "check" is a`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := config.ParseGate("g.toml", []byte(tt.text))
			if !kedge.Invalid.Is(err) || !strings.HasPrefix(err.Error(), tt.want) {
				t.Fatalf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestReadyTimeout(t *testing.T) {
	if d := config.ReadyTimeout(kedge.Service{Timeout: "3s"}); d != 3*time.Second {
		t.Errorf("its own: %v", d)
	}
	if d := config.ReadyTimeout(kedge.Service{}); d != config.DefaultReady {
		t.Errorf("none: %v", d)
	}
}

func FuzzParseGate(f *testing.F) {
	f.Add([]byte(exampleGate))
	f.Add([]byte("version = 1\ncheck = [{name = 'a', run = 'x'}, {}]"))
	f.Fuzz(func(t *testing.T, b []byte) {
		g, err := config.ParseGate("g.toml", b)
		again, errAgain := config.ParseGate("g.toml", b)
		if (err == nil) != (errAgain == nil) {
			t.Fatalf("two answers: %v, %v", err, errAgain)
		}
		if err != nil {
			if !kedge.Invalid.Is(err) || !strings.HasPrefix(err.Error(), "g.toml:") {
				t.Fatalf("error %v does not name the file", err)
			}
			return
		}
		if !reflect.DeepEqual(g, again) {
			t.Fatal("two values")
		}
		for _, c := range g.Checks {
			if f := check.Validate(c); f != nil || c.Kind == "" {
				t.Fatalf("check %+v without a kind, or %+v", c, f)
			}
		}
	})
}
