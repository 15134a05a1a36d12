package output

import "golang.org/x/sys/cpu"

// atOnce is how many places pairAVX2 looks at together.
const atOnce = 64

// pairAVX2 is the first of n places, a multiple of atOnce, at which x has one
// byte and y the other, when what makes lower case is added to each; n for none.
//
//go:noescape
func pairAVX2(x, y *byte, n int, wantX, wantY, caseX, caseY byte) int

// next is the first place from at on where both bytes stand, len(x) for none.
func (p *pair) next(x, y []byte, at int) int {
	if n := (len(x) - at) / atOnce * atOnce; n > 0 && cpu.X86.HasAVX2 {
		skipped := pairAVX2(&x[at], &y[at], n, byte(p.wantF), byte(p.wantO), byte(p.caseF), byte(p.caseO))
		if at += skipped; skipped < n {
			return at
		}
	}
	return p.byWords(x, y, at)
}
