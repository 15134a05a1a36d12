package check_test

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/core/check"
)

func command(line string) kedge.Check { return kedge.Check{Name: "unit", Run: line} }

func request(url string) kedge.Check {
	return kedge.Check{Name: "api", HTTP: &kedge.HTTPCheck{URL: url}}
}

// TestTableOfForms: every key of a check belongs to all forms or to one of them, every
// form has what is asked of it, and no two share a kind.
func TestTableOfForms(t *testing.T) {
	common := []string{"name", "kind", "timeout", "prove", "paths", "exclusive", "evidence"}
	var keys []string
	seen := map[kedge.CheckKind]bool{}
	for _, f := range check.Forms() {
		keys = append(keys, f.Keys...)
		if f.Name == "" || f.Timeout <= 0 || len(f.Keys) == 0 || len(f.Kinds) == 0 {
			t.Errorf("form %q lacks something: %+v", f.Name, f)
		}
		for _, k := range f.Kinds {
			if seen[k.Name] || k.Marker != kedge.Marker(strings.ToUpper(string(k.Name))+"_FAILURE") {
				t.Errorf("kind %q of form %q: taken twice, or marker %q", k.Name, f.Name, k.Marker)
			}
			seen[k.Name] = true
		}
	}
	noun := reflect.TypeFor[kedge.Check]()
	for i := range noun.NumField() {
		key, _, _ := strings.Cut(noun.Field(i).Tag.Get("json"), ",")
		if slices.Contains(common, key) == slices.Contains(keys, key) {
			t.Errorf("the key %q of a check is of no form, or of one and of all", key)
		}
	}
	if len(common)+len(keys) != noun.NumField() {
		t.Errorf("a check has %d keys, the table knows %v and %v", noun.NumField(), common, keys)
	}
}

func TestKindOf(t *testing.T) {
	for _, tt := range []struct {
		check kedge.Check
		want  kedge.CheckKind
	}{
		{kedge.Check{Name: "unit", Run: "x"}, kedge.CheckTest},
		{kedge.Check{Name: "e2e", Run: "x"}, kedge.CheckE2E},
		{kedge.Check{Name: "e2e", Touched: "x {paths}"}, kedge.CheckE2E},
		{kedge.Check{Name: "e2e", Kind: kedge.CheckBuild, Run: "x"}, kedge.CheckBuild},
		{kedge.Check{Name: "http", Run: "x"}, kedge.CheckTest},
		{request("http://h/"), kedge.CheckHTTP},
		{kedge.Check{Name: "e2e", HTTP: &kedge.HTTPCheck{}}, kedge.CheckHTTP},
		{kedge.Check{Name: "port", TCP: "127.0.0.1:1"}, kedge.CheckTCP},
		{kedge.Check{Name: "build"}, kedge.CheckTest},
		{kedge.Check{Name: "x", Kind: "odd", Run: "x"}, "odd"},
	} {
		if got := check.KindOf(tt.check).Name; got != tt.want {
			t.Errorf("%+v is of kind %q, want %q", tt.check, got, tt.want)
		}
	}
	if k := check.Named("odd"); k.Marker != "" || check.OfKind("odd").Name != "" {
		t.Errorf("an unknown kind is %+v", k)
	}
}

func TestText(t *testing.T) {
	post := request("http://h/")
	post.HTTP.Method = "POST"
	for _, tt := range []struct {
		check       kedge.Check
		want, shell string
	}{
		{command("go test ./..."), "go test ./...", "go test ./..."},
		{kedge.Check{Touched: "go test {packages}"}, "go test {packages}", ""},
		{kedge.Check{Run: "make", Touched: "go test {packages}"}, "make", "make"},
		{request("http://h/"), "GET http://h/", ""},
		{post, "POST http://h/", ""},
		{kedge.Check{TCP: "127.0.0.1:{port}"}, "tcp 127.0.0.1:{port}", ""},
		{kedge.Check{Name: "none"}, "", ""},
	} {
		if got := check.Text(tt.check); got != tt.want {
			t.Errorf("%+v is shown as %q, want %q", tt.check, got, tt.want)
		}
		if got := check.ShellLine(tt.check); got != tt.shell {
			t.Errorf("the shell line of %+v is %q, want %q", tt.check, got, tt.shell)
		}
	}
}

func TestSame(t *testing.T) {
	with := func(change func(*kedge.Check)) kedge.Check {
		c := command("make")
		change(&c)
		return c
	}
	for _, tt := range []struct {
		name string
		a, b kedge.Check
		want bool
	}{
		{"itself", command("make"), command("make"), true},
		{"another name", command("make"), with(func(c *kedge.Check) { c.Name = "other" }), true},
		{"another line", command("make"), command("make all"), false},
		{"another kind", command("make"), with(func(c *kedge.Check) { c.Kind = kedge.CheckBuild }), false},
		{"the same kind, said", command("make"), with(func(c *kedge.Check) { c.Kind = kedge.CheckTest }), true},
		{"another time", command("make"), with(func(c *kedge.Check) { c.Timeout = "1m" }), false},
		{"a lock", command("make"), with(func(c *kedge.Check) { c.Exclusive = "db" }), false},
		{"evidence", with(func(c *kedge.Check) { c.Evidence = []string{"x"} }), with(func(c *kedge.Check) { c.Evidence = []string{"x"} }), false},
		{"two requests", request("http://h/"), request("http://h/"), false},
		{"a request and a command", request("http://h/"), command("make"), false},
		{"one port", kedge.Check{TCP: "127.0.0.1:1"}, kedge.Check{TCP: "127.0.0.1:1"}, true},
		{"two ports", kedge.Check{TCP: "127.0.0.1:1"}, kedge.Check{TCP: "127.0.0.1:2"}, false},
		{"nothing", kedge.Check{}, kedge.Check{}, false},
	} {
		if got := check.Same(tt.a, tt.b); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

func TestTimeout(t *testing.T) {
	for _, tt := range []struct {
		check kedge.Check
		want  time.Duration
	}{
		{kedge.Check{Run: "x", Timeout: "5m"}, 5 * time.Minute},
		{kedge.Check{Run: "x"}, 10 * time.Minute},
		{kedge.Check{Run: "x", Timeout: "200h"}, 10 * time.Minute},
		{request("http://h/"), 30 * time.Second},
		{kedge.Check{TCP: "127.0.0.1:1"}, 30 * time.Second},
		{kedge.Check{}, 10 * time.Minute},
	} {
		if got := check.Timeout(tt.check); got != tt.want {
			t.Errorf("%+v gets %v, want %v", tt.check, got, tt.want)
		}
	}
}

func TestNormalize(t *testing.T) {
	c := request("http://h/\xff")
	c.HTTP.JSON = map[string]any{"n": int64(1), "list": []map[string]any{{"a": int64(2)}}, "big": json.Number("12345678901234567890")}
	got := check.Normalize(c)
	want := map[string]any{"n": 1.0, "list": []any{map[string]any{"a": 2.0}}, "big": json.Number("12345678901234567890")}
	if got.HTTP.URL != "http://h/\uFFFD" || !reflect.DeepEqual(got.HTTP.JSON, want) {
		t.Errorf("%+v", got.HTTP)
	}
	if c.HTTP.URL != "http://h/\xff" {
		t.Error("the check that came in was changed")
	}
	if again := check.Normalize(got); !reflect.DeepEqual(again, got) {
		t.Errorf("a second time gives %+v", again)
	}
	if got := check.Normalize(command("a\xffb")); got.Run != "a\uFFFDb" || got.Kind != "" {
		t.Errorf("%+v", got)
	}
	odd := request("http://h/")
	odd.HTTP.JSON = math.NaN()
	if f := check.Validate(check.Normalize(odd)); f == nil || f.Key != "http.json" {
		t.Errorf("a number that JSON does not have: %+v", f)
	}
}

func TestLines(t *testing.T) {
	got := check.Lines([]string{"a", "b", "c"})
	want := []kedge.Check{{Name: "check", Run: "a"}, {Name: "check2", Run: "b"}, {Name: "check3", Run: "c"}}
	if !reflect.DeepEqual(got, want) || len(check.Faults(got)) > 0 {
		t.Errorf("%+v", got)
	}
	if got := check.Lines(nil); got == nil || len(got) != 0 {
		t.Errorf("no lines: %+v", got)
	}
}

func FuzzValidate(f *testing.F) {
	f.Add([]byte(`{"name":"unit","run":"x","exclusive":"../../x"}`))
	f.Add([]byte(`{"name":"api","http":{"url":"http://127.0.0.1:{port}/","json":{"a":[1e400]}}}`))
	f.Add([]byte(`{"name":"port","tcp":"[::1%x]:{port}"}`))
	f.Add([]byte(`{"name":"e2e","kind":"http","touched":"x","timeout":"200h"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var c kedge.Check
		if json.Unmarshal(b, &c) != nil {
			return
		}
		fault := check.Validate(c)
		if check.Timeout(c) <= 0 || check.Timeout(c) > 168*time.Hour {
			t.Errorf("it gets %v", check.Timeout(c))
		}
		if fault != nil && (fault.Key == "" || fault.Fix == "" || !strings.HasPrefix(fault.What, "check ")) {
			t.Errorf("fault %+v", fault)
		}
		if fault == nil && (check.Text(c) == "" || check.KindOf(c).Marker == "" || c.Exclusive != "" && !kedge.ValidName(c.Exclusive)) {
			t.Errorf("%+v is valid", c)
		}
		if n := check.Normalize(c); (check.Validate(n) == nil) != (fault == nil) {
			t.Errorf("normalised it is judged otherwise: %+v", check.Validate(n))
		}
	})
}
