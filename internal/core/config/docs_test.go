package config

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"kedge"
)

// keysOf gives the keys of a file's form with their defaults, as the
// documentation writes them; "" where there is none to compare.
func keysOf(v reflect.Value, prefix string) map[string]string {
	out := map[string]string{}
	for i := range v.NumField() {
		field := v.Type().Field(i)
		key := field.Tag.Get("toml")
		if key == "" { // the nouns have one name for all files
			key, _, _ = strings.Cut(field.Tag.Get("json"), ",")
		}
		if key == "" {
			continue
		}
		if prefix != "" {
			key = prefix + "." + key
		}
		for k, value := range keysBelow(v.Field(i), key) {
			out[k] = value
		}
	}
	return out
}

func keysBelow(v reflect.Value, key string) map[string]string {
	switch x := v.Interface().(type) {
	case Duration:
		return map[string]string{key: fmt.Sprintf("%q", strings.TrimSuffix(time.Duration(x).String(), "0m0s"))}
	case []ToolsRow:
		return keysOf(reflect.ValueOf(ToolsRow{}), key)
	case []RouteRow:
		return keysOf(reflect.ValueOf(RouteRow{}), key)
	case []Regenerate:
		return keysOf(reflect.ValueOf(Regenerate{}), key)
	case map[string]Agent:
		return keysOf(reflect.ValueOf(Agent{}), key+".NAME")
	case string:
		return map[string]string{key: fmt.Sprintf("%q", x)}
	case bool, int, int64, float64:
		return map[string]string{key: fmt.Sprint(x)}
	}
	if v.Kind() == reflect.Pointer && v.Type().Elem().Kind() == reflect.Struct {
		return keysOf(reflect.Zero(v.Type().Elem()), key)
	}
	if v.Kind() == reflect.Struct {
		return keysOf(v, key)
	}
	return map[string]string{key: ""}
}

// documented gives the rows of a part of docs/reference/config.md: key and default.
func documented(t *testing.T, head string) map[string]string {
	t.Helper()
	page, err := os.ReadFile("../../../docs/reference/config.md")
	if err != nil {
		t.Fatal(err)
	}
	_, part, ok := strings.Cut(string(page), "\n## "+head+"\n")
	if !ok {
		t.Fatalf("docs/reference/config.md has no part %q", head)
	}
	part, _, _ = strings.Cut(part, "\n## ")
	rows := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (?:string|bool|integer|number|duration|table|any|list of strings) \\| (.*?) \\| (.+) \\|$").FindAllStringSubmatch(part, -1) {
		if _, twice := rows[m[1]]; twice {
			t.Errorf("%s has two rows", m[1])
		}
		rows[m[1]] = m[2]
	}
	if lines := strings.Count(part, "\n| `"); lines != len(rows) {
		t.Errorf("%s: %d of %d rows have the form key, type, default, meaning", head, len(rows), lines)
	}
	return rows
}

func compareKeys(t *testing.T, head string, want map[string]string) map[string]string {
	t.Helper()
	have := documented(t, head)
	for key := range want {
		if _, ok := have[key]; !ok {
			t.Errorf("docs/reference/config.md does not tell of %s", key)
		}
	}
	for key := range have {
		if _, ok := want[key]; !ok {
			t.Errorf("docs/reference/config.md tells of %s, which is no key", key)
		}
	}
	return have
}

func TestDocumentedConfigKeys(t *testing.T) {
	want := keysOf(reflect.ValueOf(Default(Kinds{})), "")
	have := compareKeys(t, "config.toml", want)
	for key, value := range want {
		if value != "" && have[key] != "`"+value+"`" && !strings.HasPrefix(key, "agents.") && !strings.HasPrefix(key, "route.rows.") && !strings.HasPrefix(key, "tools.") && !strings.HasPrefix(key, "merge.regenerate.") && key != "version" {
			t.Errorf("the default of %s is %s, docs/reference/config.md says %s", key, value, have[key])
		}
	}
	for _, known := range []string{"run.parallel", "agents.NAME.kind", "context.window", "sessions.keep_bytes"} {
		if _, ok := want[known]; !ok {
			t.Errorf("%s was not found in the form: this test looks at nothing", known)
		}
	}
}

func TestDocumentedGateKeys(t *testing.T) {
	want := map[string]string{"version": ""}
	for name, form := range map[string]any{"check": kedge.Check{}, "service": kedge.Service{}} {
		for key := range keysOf(reflect.ValueOf(form), name) {
			want[key] = ""
		}
	}
	delete(want, featureKey)
	compareKeys(t, "gate.toml", want)
	if _, ok := want["check.http.status"]; !ok || len(want) < 15 {
		t.Errorf("only %v were found in the form: this test looks at nothing", want)
	}
}
