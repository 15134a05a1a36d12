package attend

import "testing"

// TestOthers: what an agent said of its conversation counts before what was likely.
func TestOthers(t *testing.T) {
	var l watching
	l.guess("2026-a", "one")
	if l.others("2026-a", "one") || !l.others("2026-a", "two") || l.others("2026-b", "two") {
		t.Error("what is likely one's is not")
	}
	l.claim("a", "two")
	if !l.others("2026-a", "one") || l.others("2026-a", "two") {
		t.Error("what two said is its own is not")
	}
}
