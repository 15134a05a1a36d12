package kedge_test

import (
	"testing"
	"time"

	"kedge"
)

func TestMomentOf(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 123_000_000, time.UTC)
	for _, id := range []string{kedge.NewID("pln", at), kedge.DeriveID("evd", at, "x")} {
		if got := kedge.MomentOf(id); !got.Equal(at) {
			t.Errorf("%s was made at %s", id, got)
		}
	}
	for _, id := range []string{"", "pln", "pln-1", "pln-uuuuuuuuuuuuuuuuuuuuuuuuuu"} {
		if got := kedge.MomentOf(id); !got.IsZero() {
			t.Errorf("%q was made at %s", id, got)
		}
	}
}
