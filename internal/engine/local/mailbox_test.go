package local

import (
	"testing"

	"kedge"

	"kedge/internal/core/run"
)

// TestMailboxKeepsTheNewestTotal: totals that nobody has read yet are one, in
// the place of the first, and nothing else is left out.
func TestMailboxKeepsTheNewestTotal(t *testing.T) {
	b := newMailbox()
	used := func(epoch, tokens int64) message {
		return message{ev: run.Input{Kind: run.Used, Epoch: epoch, Usage: &kedge.Spend{Tokens: tokens}}}
	}
	for _, m := range []message{
		used(1, 10), used(2, 20), used(1, 30),
		{ev: run.Input{Kind: run.Exited, Epoch: 1}},
		{ev: run.Input{Kind: run.Used, Epoch: 2}}, // says nothing: it takes nothing's place
		used(1, 40),
	} {
		b.put(m)
	}
	b.close()
	if b.put(message{reply: make(chan error, 1)}) {
		t.Error("a closed box takes something from outside")
	}
	var got []run.Input
	for m, ok := b.take(); ok; m, ok = b.take() {
		got = append(got, m.ev)
	}
	if len(got) != 4 || got[0].Usage.Tokens != 40 || got[1].Usage.Tokens != 20 || got[2].Kind != run.Exited || got[3].Usage != nil {
		t.Errorf("%+v", got)
	}
}
