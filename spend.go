package kedge

// Spend is a sum of what was used: tokens are uncached input, cache writes and
// output, children included.
type Spend struct {
	Tokens int64   `json:"tokens,omitempty"`
	USD    float64 `json:"usd,omitempty"`
}

// Add adds what was used since.
func (s *Spend) Add(d Spend) {
	s.Tokens += d.Tokens
	s.USD += d.USD
}

// Grown is what total has more than s, never less than nothing: totals may
// arrive twice or in any order.
func (s Spend) Grown(total Spend) Spend {
	return Spend{Tokens: max(0, total.Tokens-s.Tokens), USD: max(0, total.USD-s.USD)}
}

// Reaches tells whether a limit is spent.
func (s Spend) Reaches(tokens int64, usd float64) bool {
	return tokens > 0 && s.Tokens >= tokens || usd > 0 && s.USD >= usd
}
