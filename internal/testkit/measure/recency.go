package measure

import (
	"math"
	"slices"
	"strings"

	"kedge/internal/insight/audit"
)

// Recency is what briefs are compared with: the files by use, an edit counting
// twice, each action later 0.97 as much.
type Recency struct {
	n    int
	uses map[string]use
}

type use struct {
	sum float64
	at  int
}

// NewRecency begins with no use.
func NewRecency() *Recency { return &Recency{uses: map[string]use{}} }

const pace = 0.97

// Add implements Ranker.
func (r *Recency) Add(e *audit.Entry) {
	if e.Kind != audit.ToolCall {
		return
	}
	r.n++
	path := touched(e)
	if path == "" {
		return
	}
	weight := 1.0
	if e.Act == audit.Edit {
		weight = 2
	}
	r.uses[path] = use{r.now(path) + weight, r.n}
}

func (r *Recency) now(path string) float64 {
	u := r.uses[path]
	return u.sum * math.Pow(pace, float64(r.n-u.at))
}

// Look implements Ranker. It takes no tokens: it says nothing but names.
func (r *Recency) Look() (files []string, tokens int) {
	for path := range r.uses {
		files = append(files, path)
	}
	slices.SortFunc(files, func(a, b string) int {
		switch x, y := r.now(a), r.now(b); {
		case x > y:
			return -1
		case x < y:
			return 1
		default:
			return strings.Compare(a, b)
		}
	})
	return files, 0
}
