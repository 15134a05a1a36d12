//go:build !amd64

package output

// next is the first place from at on where both bytes stand, len(x) for none.
func (p *pair) next(x, y []byte, at int) int { return p.byWords(x, y, at) }
