package audit

import "math"

// curve is how much of a model's best a context of a length leaves, fitted to
// published measurements: q(L) = 1/(1+(L/L50)^k).
type curve struct {
	half, k float64 // half in tokens
}

// The two ends of what was published, both on tasks of finding something again
// in a long context, on models of 2024 and 2025. The strict one asks for what
// the question does not name by the same words; in the mild one it does.
var (
	strict = curve{72_000, 1.04} // GPT-4o in NoLiMa: 99.3% at its base, 69.7% at 32,000 tokens
	mild   = curve{283_000, 1}   // GPT-4.1 on LongMemEval in Context Rot: 87.3% at 269 tokens, 62.4% at 112,673
)

// QualitySource names where the curves are from.
const QualitySource = "NoLiMa (arXiv 2502.05167, GPT-4o) and Context Rot (Chroma 2025, GPT-4.1 on LongMemEval), fitted with q(L) = 1/(1+(L/L50)^k)"

// Enough is the quality that a budget is recommended for.
const Enough = 0.8

// Quality is a relative figure and no promise: between Low and High of what a
// model does with a short context is left at AtTokens, by the published curves.
// A feature that is done within a budget stays above Enough.
type Quality struct {
	AtTokens   int64   `json:"at_tokens"`
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
	BudgetLow  int64   `json:"budget_low_tokens"`
	BudgetHigh int64   `json:"budget_high_tokens"`
	Source     string  `json:"source"`
}

// QualityAt gives the quality at a context of so many tokens; nil where that is
// not known.
func QualityAt(tokens *int64) *Quality {
	if tokens == nil {
		return nil
	}
	return &Quality{
		AtTokens: *tokens, Low: strict.at(*tokens), High: mild.at(*tokens),
		BudgetLow: strict.budget(Enough), BudgetHigh: mild.budget(Enough), Source: QualitySource,
	}
}

// at gives two digits: the measurements carry no more.
func (c curve) at(tokens int64) float64 {
	q := 1 / (1 + math.Pow(float64(tokens)/c.half, c.k))
	return math.Round(q*100) / 100
}

// budget is the longest context that leaves q, to the full thousand below.
func (c curve) budget(q float64) int64 {
	l := c.half * math.Pow(1/q-1, 1/c.k)
	return int64(l/1000) * 1000
}
