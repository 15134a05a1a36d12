package check

import (
	"encoding/json"
	"fmt"
	"math/big"
	"sort"
	"strings"

	"kedge/internal/text/words"
)

// Differs says where an answer, decoded with numbers as they were written, lacks something that a
// check wants of it; empty when the wanted is a subset of it.
func Differs(want, got any) string { return differs("", want, got) }

// differs says where got lacks something of want, by path; empty when want is a
// subset of got. Of an object every wanted key must be there, others are free.
// An array must have the same length, and each element match in turn.
func differs(path string, want, got any) string {
	switch w := want.(type) {
	case map[string]any:
		return differsObject(path, w, got)
	case []any:
		return differsArray(path, w, got)
	case json.Number:
		if g, ok := got.(json.Number); ok && sameNumber(w, g) {
			return ""
		}
	default:
		if want == got {
			return ""
		}
	}
	return fmt.Sprintf("%s is %s, not %s", name(path), show(got), show(want))
}

func differsObject(path string, want map[string]any, got any) string {
	g, ok := got.(map[string]any)
	if !ok {
		return fmt.Sprintf("%s is %s, not an object", name(path), show(got))
	}
	keys := make([]string, 0, len(want))
	for k := range want {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		v, ok := g[k]
		if !ok {
			return fmt.Sprintf("%s is missing", name(path+"."+k))
		}
		if d := differs(path+"."+k, want[k], v); d != "" {
			return d
		}
	}
	return ""
}

func differsArray(path string, want []any, got any) string {
	g, ok := got.([]any)
	if !ok || len(g) != len(want) {
		return fmt.Sprintf("%s is %s, not an array with %s", name(path), show(got), words.Count(len(want), "element"))
	}
	for i := range want {
		if d := differs(fmt.Sprintf("%s[%d]", path, i), want[i], g[i]); d != "" {
			return d
		}
	}
	return ""
}

// maxDigits: beyond this a number is only equal to itself, because its
// value might not fit into memory.
const maxDigits = 400

func sameNumber(a, b json.Number) bool {
	if a == b {
		return true
	}
	fa, errA := a.Float64()
	fb, errB := b.Float64()
	if errA != nil || errB != nil || fa != fb || len(a) > maxDigits || len(b) > maxDigits {
		return false
	}
	ra, okA := new(big.Rat).SetString(a.String())
	rb, okB := new(big.Rat).SetString(b.String())
	return okA && okB && ra.Cmp(rb) == 0
}

func name(path string) string {
	if path == "" {
		return "the answer"
	}
	return "$" + path
}

func show(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	return Excerpt(b)
}

// Excerpt is the beginning of an answer, fit to be shown.
func Excerpt(b []byte) string {
	const most = 300
	s := strings.ToValidUTF8(string(b[:min(len(b), most)]), "\uFFFD")
	if len(b) > most {
		s += "…"
	}
	return strings.TrimSpace(s)
}
