package lazyre_test

import (
	"reflect"
	"regexp"
	"sync"
	"testing"

	"kedge/internal/text/lazyre"
)

// TestSameAsRegexp: every method gives what regexp.Regexp's gives.
func TestSameAsRegexp(t *testing.T) {
	const pattern, s = `(\w)(\d+)`, "a1 b22 c"
	l, r := lazyre.New(pattern), regexp.MustCompile(pattern)
	for name, pair := range map[string][2]any{
		"MatchString":                {l.MatchString(s), r.MatchString(s)},
		"FindStringIndex":            {l.FindStringIndex(s), r.FindStringIndex(s)},
		"FindStringSubmatch":         {l.FindStringSubmatch(s), r.FindStringSubmatch(s)},
		"FindStringSubmatchIndex":    {l.FindStringSubmatchIndex(s), r.FindStringSubmatchIndex(s)},
		"FindAllStringIndex":         {l.FindAllStringIndex(s, -1), r.FindAllStringIndex(s, -1)},
		"FindAllStringSubmatch":      {l.FindAllStringSubmatch(s, -1), r.FindAllStringSubmatch(s, -1)},
		"FindAllStringSubmatchIndex": {l.FindAllStringSubmatchIndex(s, 1), r.FindAllStringSubmatchIndex(s, 1)},
		"ReplaceAllString":           {l.ReplaceAllString(s, "$2$1"), r.ReplaceAllString(s, "$2$1")},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("%s: %v, want %v", name, pair[0], pair[1])
		}
	}
}

func TestFirstUseByMany(t *testing.T) {
	l := lazyre.New(`x+`)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if !l.MatchString("axb") {
				t.Error("no match")
			}
		})
	}
	wg.Wait()
}

func TestBadPatternPanicsOnUse(t *testing.T) {
	l := lazyre.New(`(`)
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	l.MatchString("x")
}
