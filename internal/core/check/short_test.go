package check_test

import (
	"reflect"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/check"
)

func asks(method, url string, status int) kedge.Check {
	return kedge.Check{Name: "http", HTTP: &kedge.HTTPCheck{Method: method, URL: url, Status: status}}
}

func TestLine(t *testing.T) {
	for line, want := range map[string]kedge.Check{
		"go test ./...":                         {Name: "check", Run: "go test ./..."},
		"http GET /users 200":                   asks("GET", "/users", 200),
		"http get  /users?page=2  200":          asks("GET", "/users?page=2", 200),
		"http DELETE /users/7 204":              asks("DELETE", "/users/7", 204),
		"http GET /users":                       asks("GET", "/users", 0),
		"http /users 404":                       asks("", "/users", 404),
		"http /":                                asks("", "/", 0),
		"http GET http://127.0.0.1:{port}/ 200": asks("GET", "http://127.0.0.1:{port}/", 200),
		"http GET users 200":                    asks("GET", "users", 200),           // refused by Validate
		"http GET /users 200 please":            asks("GET", "/users 200 please", 0), // likewise
		"e2e npx playwright test a  b":          {Name: "e2e", Kind: kedge.CheckE2E, Run: "npx playwright test a  b"},
		// programs that are called the same
		"http :8080/users":         {Name: "check", Run: "http :8080/users"},
		"http --check-status :80/": {Name: "check", Run: "http --check-status :80/"},
		"http GET example":         {Name: "check", Run: "http GET example"},
		"http":                     {Name: "check", Run: "http"},
		"http GET":                 {Name: "check", Run: "http GET"},
		"e2e":                      {Name: "check", Run: "e2e"},
		"./e2e run":                {Name: "check", Run: "./e2e run"},
		"httpd -t":                 {Name: "check", Run: "httpd -t"},
	} {
		if got := check.Line(line); !reflect.DeepEqual(got, want) {
			t.Errorf("Line(%q) = %+v, want %+v", line, got, want)
		}
	}
}

func TestRequestsAreValidated(t *testing.T) {
	for request, what := range map[string]string{
		"GET /users 200":      "",
		"/":                   "",
		"GET https://x.org/a": "",
		"GET users 200":       `http.url "users" is not an http address`,
		"GET /users 200 now":  `http.url "/users 200 now" is not an http address`,
		"GET //host/users":    `http.url "//host/users" is not an http address`,
		"FETCH /users 200":    `http.url "FETCH /users" is not an http address`,
		"GET /users 999":      "http.status 999 is not between 100 and 599",
	} {
		f := check.Validate(check.Ask(request))
		if (f == nil) != (what == "") || f != nil && !strings.Contains(f.What, what) {
			t.Errorf("%q: %+v, want %q", request, f, what)
		}
	}
}

func TestTextOfARequest(t *testing.T) {
	for want, c := range map[string]kedge.Check{
		"GET /users 200": check.Ask("get /users 200"),
		"GET /users":     check.Ask("/users"),
		"PUT http://a/b": check.Ask("PUT http://a/b"),
	} {
		if got := check.Text(c); got != want {
			t.Errorf("Text = %q, want %q", got, want)
		}
	}
	if got := check.Address(kedge.HTTPCheck{URL: "/users"}); got != "http://127.0.0.1:{port}/users" {
		t.Errorf("Address = %q", got)
	}
}

func TestLinesAreNumberedByName(t *testing.T) {
	got := check.Lines([]string{"a", "http / 200", "b", "e2e c", "http /x"})
	for i, want := range []string{"check", "http", "check2", "e2e", "http2"} {
		if got[i].Name != want {
			t.Errorf("check %d is called %q, want %q", i, got[i].Name, want)
		}
	}
	if f := check.Faults(got); len(f) > 0 {
		t.Errorf("faults %+v", f)
	}
}

func TestLeaves(t *testing.T) {
	for want, c := range map[string]kedge.Check{
		"**/test-results/** **/playwright-report/** **/cypress/screenshots/** **/cypress/videos/**": check.Line("e2e x"),
		"shots/*.png": {Name: "a", Kind: kedge.CheckE2E, Run: "x", Evidence: []string{"shots/*.png"}},
		"":            check.Line("go test"),
	} {
		if got := strings.Join(check.Leaves(c), " "); got != want {
			t.Errorf("%+v leaves %q, want %q", c, got, want)
		}
	}
}

// FuzzLine: whatever is written, one form is read, and what Validate accepts is shown in
// one line that reads as the same check.
func FuzzLine(f *testing.F) {
	for _, seed := range []string{"http GET /users 200", "http /", "e2e npx x", "go test ./...", "http GET users 200", "http", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		c := check.Line(line)
		if check.Validate(c) != nil || c.HTTP == nil {
			return
		}
		if again := check.Line("http " + check.Text(c)); check.Text(again) != check.Text(c) || again.HTTP == nil {
			t.Errorf("%q is shown as %q, which reads as %+v", line, check.Text(c), again)
		}
	})
}
