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

func TestMeansID(t *testing.T) {
	const id = kedge.RunID("run-01m7j3bvhjy22sa06441ydg9zb")
	for word, want := range map[string]bool{
		string(id): true, "dg9zb": true, "ydg9zb": true, "run-dg9zb": true, "ses-dg9zb": false, "g9zb": false, "": false, "run-": false, "dg9zc": false,
	} {
		if got := kedge.MeansID(id, word); got != want {
			t.Errorf("%q: %v", word, got)
		}
	}
	if got := kedge.ShortID(id); got != "dg9zb" || !kedge.MeansID(id, got) || kedge.ShortID(kedge.RunID("r")) != "r" {
		t.Errorf("short: %q", got)
	}
}
