package audit

// KindCosts is what a session cost by what its tokens were.
type KindCosts struct {
	Input      float64 `json:"input"` // that no cache had
	CacheRead  float64 `json:"cache_read"`
	CacheWrite float64 `json:"cache_write"`
	Output     float64 `json:"output"`
}

// given is what the context cost that the replies were given.
func (k *KindCosts) given() float64 { return k.Input + k.CacheRead + k.CacheWrite }

func (k *KindCosts) add(l KindCosts) {
	k.Input += l.Input
	k.CacheRead += l.CacheRead
	k.CacheWrite += l.CacheWrite
	k.Output += l.Output
}

// Divide fills in what the cost of sessions is made of. It is known where prices gave the
// whole cost: what a program says of a cost does not tell its parts.
func Divide(list []Figures, price Price) {
	for i := range list {
		list[i].Divide(price)
	}
}

// Divide is Divide of one. It is done once for each state of the replies.
func (f *Figures) Divide(price Price) {
	if !f.divided {
		f.Kinds, f.divided = f.kinds(price), true
	}
}

func (f *Figures) kinds(price Price) *KindCosts {
	if f.USD == nil {
		return nil
	}
	sum, told := &KindCosts{}, false
	f.EachReply(func(r *ReplyUse) {
		told = told || r.USD != nil
		if !r.Known {
			return
		}
		if usd := r.Cost(price); usd != nil {
			sum.divide(r, *usd, price)
		}
	})
	if told {
		return nil
	}
	return sum
}

// allKinds is the sum; nil where no cost is known, or a session has a cost whose parts are
// unknown.
func allKinds(list []Figures) *KindCosts {
	var sum *KindCosts
	for _, f := range list {
		switch {
		case f.Kinds != nil:
			if sum == nil {
				sum = &KindCosts{}
			}
			sum.add(*f.Kinds)
		case f.USD != nil && *f.USD > 0:
			return nil
		}
	}
	return sum
}

// divide adds the parts of what a reply cost. A price can depend on how long the whole
// request was, so the parts are made to be its sum.
func (k *KindCosts) divide(r *ReplyUse, usd float64, price Price) {
	u := r.Usage
	part := func(of Usage) float64 {
		if usd := price(r.Model, r.At, of); usd != nil {
			return *usd
		}
		return 0
	}
	p := KindCosts{
		Input: part(Usage{Input: u.Input}), CacheRead: part(Usage{CacheRead: u.CacheRead}),
		CacheWrite: part(Usage{CacheWrite: u.CacheWrite, Hour: u.Hour}), Output: part(Usage{Output: u.Output}),
	}
	sum := p.given() + p.Output
	if sum <= 0 {
		return
	}
	scale := usd / sum
	k.add(KindCosts{Input: p.Input * scale, CacheRead: p.CacheRead * scale, CacheWrite: p.CacheWrite * scale, Output: p.Output * scale})
}

// Given is how many tokens the replies of a session were given, all together.
func (f *Figures) Given() (tokens int64) {
	for _, m := range f.Models {
		tokens += m.InputTokens + m.CacheReadTokens + m.CacheWriteTokens
	}
	return tokens
}

// charsPerToken is how many characters make a token, where nobody counted tokens.
const charsPerToken = 4

// carriedCost is what it cost to give characters to replies, by their share of all
// that replies were given; nil is unknown.
func (f *Figures) carriedCost(chars int64) *float64 {
	given := f.Given()
	if f.Kinds == nil || given == 0 {
		return nil
	}
	return ptr(f.Kinds.given() * min(float64(chars)/charsPerToken/float64(given), 1))
}
