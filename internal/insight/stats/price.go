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
	"kedge/internal/text/lazyre"
)

//go:embed prices.toml
var embedded []byte

// Price is what a model costs from a day on.
type Price struct {
	Model string `toml:"model" json:"model"` // a glob
	Since string `toml:"since" json:"since"` // the first day, as 2006-01-02, UTC
	Rates
	Long   []LongRates `toml:"long" json:"long,omitempty"` // of requests beyond a length; none: all cost the same
	Source string      `toml:"source" json:"source"`       // where it stands
}

// Rates are in USD per million tokens. A nil figure is unknown.
type Rates struct {
	Input          *float64 `toml:"input" json:"input"`                       // uncached
	CacheRead      *float64 `toml:"cache_read" json:"cache_read"`             // read from a cache
	CacheWrite     *float64 `toml:"cache_write" json:"cache_write"`           // written to a cache
	CacheWriteHour *float64 `toml:"cache_write_hour" json:"cache_write_hour"` // likewise, where the provider keeps it for an hour
	Output         *float64 `toml:"output" json:"output"`
}

// LongRates are those of a request whose input, cached or not, is longer than Above tokens.
type LongRates struct {
	Above int64 `toml:"above" json:"above"`
	Rates
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
		return nil, kedge.Errorf(kedge.Invalid, "%s: the file has version %d, and this version of Kedge reads version 1", name, f.Version).WithHint("write version = 1 as its first line")
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
		return kedge.Errorf(kedge.Invalid, "%s: a price has no model", name).WithHint(`add a model below its [[price]]: model = "NAME"`)
	}
	if err := glob.Valid(p.Model); err != nil {
		return kedge.Errorf(kedge.Invalid, "%s: model %q: %w", name, p.Model, err).WithHint("name the model; * stands for any text")
	}
	if _, err := time.Parse(time.DateOnly, p.Since); err != nil {
		return kedge.Errorf(kedge.Invalid, "%s: the price of %q has since = %q, which is not a date", name, p.Model, p.Since).WithHint(`write since = "2026-01-31"`)
	}
	all := p.Rates.all()
	for _, l := range p.Long {
		all = append(all, l.all()...)
		if l.Above <= 0 {
			return kedge.Errorf(kedge.Invalid, "%s: a [[price.long]] of model %q needs \"above\", a number of tokens greater than 0", name, p.Model).WithHint("add a line to its [[price.long]], for example: above = 200000")
		}
	}
	for _, f := range all {
		if f != nil && (*f < 0 || math.IsNaN(*f) || *f > 1e6) {
			return kedge.Errorf(kedge.Invalid, "%s: the price of %q is %v, which is not valid", name, p.Model, *f).WithHint("give a price from 0 to 1000000, in USD per million tokens")
		}
	}
	return nil
}

// Of gives the price of a model on a day: by the name that is given, else by its plain one.
func (t PriceTable) Of(model string, at time.Time) (Price, bool) {
	day := at.UTC().Format(time.DateOnly)
	if p, ok := t.named(model, day); ok {
		return p, true
	}
	plain := plainName(model)
	if p, ok := t.named(plain, day); ok {
		return p, true
	}
	return t.named(strings.ReplaceAll(plain, ".", "-"), day) // as some write what others write with a dash
}

func (t PriceTable) named(model, day string) (Price, bool) {
	for _, p := range t {
		if model != "" && p.Since <= day && glob.Match(p.Model, model) {
			return p, true
		}
	}
	return Price{}, false
}

var (
	datedName   = lazyre.New(`[-@]20\d\d-?\d\d-?\d\d$`)
	bedrockName = lazyre.New(`^(?:[a-z-]+\.)?anthropic\.(.+?)(?:-v\d+)?(?::\d+)?$`)
)

// plainName is a model's name without what says which edition it is, who offers it and how
// it is used: openai/gpt-5.2-2025-12-11 is gpt-5.2, opus-4-6[1m] is opus-4-6, and
// us.anthropic.opus-4-5-20251101-v1:0 is opus-4-5.
func plainName(model string) string {
	name := model[strings.LastIndexByte(model, '/')+1:]
	name, fast := strings.CutSuffix(name, " (fast)")
	if i := strings.IndexByte(name, '['); i > 0 {
		name = name[:i]
	}
	if m := bedrockName.FindStringSubmatch(name); m != nil {
		name = m[1]
	}
	name = strings.TrimSuffix(datedName.ReplaceAllString(name, ""), "-latest")
	if fast {
		name += " (fast)"
	}
	return name
}

// USD is what the tokens cost a session that began at a moment, if none of its requests
// was a long one; nil when the model has no price, or a kind of its tokens has none.
func (t PriceTable) USD(model string, at time.Time, use kedge.TokenKinds) *float64 {
	p, ok := t.Of(model, at)
	if !ok {
		return nil
	}
	return p.usd(use)
}

// Request is what the tokens of one request cost; nil as in USD.
func (t PriceTable) Request(model string, at time.Time, use kedge.TokenKinds) *float64 {
	p, ok := t.Of(model, at)
	if !ok {
		return nil
	}
	return p.Request(use)
}

// Request is what the tokens of one request cost; nil where a kind of them has no price.
func (p Price) Request(use kedge.TokenKinds) *float64 {
	rates, above := p.Rates, int64(0)
	for _, l := range p.Long {
		if use.Input+use.CacheRead+use.CacheWrite > l.Above && l.Above > above {
			rates, above = l.Rates, l.Above
		}
	}
	return rates.usd(use)
}

func (r Rates) all() []*float64 {
	return []*float64{r.Input, r.CacheRead, r.CacheWrite, r.CacheWriteHour, r.Output}
}

func (r Rates) usd(use kedge.TokenKinds) *float64 {
	sum := 0.0
	short := use.CacheWrite - use.CacheWriteHour
	for i, tokens := range [...]int64{use.Input, use.CacheRead, short, use.CacheWriteHour, use.Output} {
		price := r.all()[i]
		if tokens == 0 {
			continue
		}
		if price == nil {
			return nil
		}
		sum += float64(tokens) * *price / 1e6
	}
	return &sum
}
