package audit

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Offer is a tool that the model could call, over one session or many.
type Offer struct {
	Name        string `json:"name"`
	Sessions    int    `json:"sessions"`     // that offered it
	Calls       int64  `json:"calls"`        // in these
	SchemaChars *int64 `json:"schema_chars"` // of its schema, the longest that was seen; nil is unknown
}

func (c *Counter) offer(e *Entry) {
	if c.offered == nil {
		c.offered = map[string]Offer{}
	}
	o := c.offered[e.Tool]
	o.Name, o.Sessions = e.Tool, 1
	if e.Chars >= 0 {
		o.SchemaChars = longest(o.SchemaChars, ptr(int64(e.Chars)))
	}
	c.offered[e.Tool] = o
}

func longest(a, b *int64) *int64 {
	if a == nil || b != nil && *b > *a {
		return b
	}
	return a
}

// offers gives the tools with how often they were called; nil where nobody wrote
// down what was offered.
func (c *Counter) offers() []Offer {
	if c.offered == nil {
		return nil
	}
	out := slices.Collect(maps.Values(c.offered))
	for i := range out {
		if t := c.tools[out[i].Name]; t != nil {
			out[i].Calls = t.Calls
		}
	}
	sortOffers(out)
	return out
}

// addOffers sums what sessions offered; one that does not say adds nothing.
func addOffers(sum, more []Offer) []Offer {
	at := map[string]int{}
	for i, o := range sum {
		at[o.Name] = i
	}
	for _, o := range more { // each once
		i, ok := at[o.Name]
		if !ok {
			sum = append(sum, o)
			continue
		}
		sum[i].Sessions += o.Sessions
		sum[i].Calls += o.Calls
		sum[i].SchemaChars = longest(sum[i].SchemaChars, o.SchemaChars)
	}
	sortOffers(sum)
	return sum
}

// sortOffers puts what costs most first.
func sortOffers(list []Offer) {
	size := func(o Offer) int64 {
		if o.SchemaChars == nil {
			return -1
		}
		return *o.SchemaChars
	}
	slices.SortFunc(list, func(a, b Offer) int {
		return cmp.Or(cmp.Compare(size(b), size(a)), strings.Compare(a.Name, b.Name))
	})
}

// Unused are the tools that no session called which offered them, those with the
// longest schemas first; nil where nobody wrote down what was offered.
func Unused(total Figures) []Offer {
	if total.Offered == nil {
		return nil
	}
	out := []Offer{}
	for _, o := range total.Offered {
		if o.Calls == 0 {
			out = append(out, o)
		}
	}
	return out
}
