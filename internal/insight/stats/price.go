package stats

import (
	_ "embed" // the table
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"kedge"
	"kedge/internal/text/glob"
)

//go:embed prices.toml
var embedded []byte

// Price is what a model costs from a day on, in USD per million tokens. A nil
// figure is unknown.
type Price struct {
	Model      string   `toml:"model" json:"model"`             // a glob
	Since      string   `toml:"since" json:"since"`             // the first day, as 2006-01-02, UTC
	Input      *float64 `toml:"input" json:"input"`             // uncached
	CacheRead  *float64 `toml:"cache_read" json:"cache_read"`   // read from a cache
	CacheWrite *float64 `toml:"cache_write" json:"cache_write"` // written to a cache
	Output     *float64 `toml:"output" json:"output"`
	Source     string   `toml:"source" json:"source"` // where it stands
}

// PriceTable is a list of prices; of those for a model and a day the first counts.
type PriceTable []Price

type file struct {
	Version int        `toml:"version"`
	Price   PriceTable `toml:"price"`
}

// EmbeddedPrices is the table that the program carries.
func EmbeddedPrices() (PriceTable, error) { return ParsePrices("prices.toml", embedded) }

// ParsePrices reads a file of prices. The name is for its errors.
func ParsePrices(name string, b []byte) (PriceTable, error) {
	var f file
	meta, err := toml.Decode(string(b), &f)
	if err != nil {
		var at toml.ParseError
		if errors.As(err, &at) {
			return nil, kedge.Errorf(kedge.Invalid, "%s:%d: %s", name, at.Position.Line, at.Message).WithHint("docs/reference/config.md of Kedge shows the format of prices.toml")
		}
		return nil, kedge.Errorf(kedge.Invalid, "%s: %w", name, err).WithHint("docs/reference/config.md of Kedge shows the format of prices.toml")
	}
	if keys := meta.Undecoded(); len(keys) > 0 {
		return nil, kedge.Errorf(kedge.Invalid, "%s: unknown key %q", name, keys[0].String()).WithHint("docs/reference/config.md of Kedge lists the keys of prices.toml")
	}
	if f.Version != 1 {
		return nil, kedge.Errorf(kedge.Invalid, "%s: version is %d, this Kedge reads version 1", name, f.Version).WithHint("write version = 1 as its first line")
	}
	for _, p := range f.Price {
		if err := p.check(name); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(f.Price, func(a, b Price) int { return strings.Compare(b.Since, a.Since) }) // the latest first
	return f.Price, nil
}

func (p Price) check(name string) error {
	if p.Model == "" {
		return kedge.Errorf(kedge.Invalid, "%s: a price has no model", name).WithHint(`add model = "…" to it`)
	}
	if err := glob.Valid(p.Model); err != nil {
		return kedge.Errorf(kedge.Invalid, "%s: model %q: %w", name, p.Model, err).WithHint("name the model; * stands for any text")
	}
	if _, err := time.Parse(time.DateOnly, p.Since); err != nil {
		return kedge.Errorf(kedge.Invalid, "%s: the price of %q has since = %q, which is not a date", name, p.Model, p.Since).WithHint(`write since = "2026-01-31"`)
	}
	for _, f := range []*float64{p.Input, p.CacheRead, p.CacheWrite, p.Output} {
		if f != nil && (*f < 0 || math.IsNaN(*f) || *f > 1e6) {
			return kedge.Errorf(kedge.Invalid, "%s: the price of %q is %v, which is not valid", name, p.Model, *f).WithHint("give a price from 0 to 1000000, in USD per million tokens")
		}
	}
	return nil
}

// Of gives the price of a model on a day.
func (t PriceTable) Of(model string, at time.Time) (Price, bool) {
	day := at.UTC().Format(time.DateOnly)
	for _, p := range t {
		if model != "" && p.Since <= day && glob.Match(p.Model, model) {
			return p, true
		}
	}
	return Price{}, false
}

// USD is what the tokens cost a session that began at a moment; nil when the
// model has no price, or a kind of its tokens has none.
func (t PriceTable) USD(model string, at time.Time, use kedge.TokenKinds) *float64 {
	p, ok := t.Of(model, at)
	if !ok {
		return nil
	}
	sum := 0.0
	for _, k := range []struct {
		tokens int64
		price  *float64
	}{{use.Input, p.Input}, {use.CacheRead, p.CacheRead}, {use.CacheWrite, p.CacheWrite}, {use.Output, p.Output}} {
		if k.tokens == 0 {
			continue
		}
		if k.price == nil {
			return nil
		}
		sum += float64(k.tokens) * *k.price / 1e6
	}
	return &sum
}
