package journal_test

import (
	"context"
	"errors"
	"testing"

	"kedge"
	"kedge/internal/journal"
)

// TestIteratorsReadAcrossPages: whatever the length of the journal, each event comes
// once and in order, forwards and backwards.
func TestIteratorsReadAcrossPages(t *testing.T) {
	for _, n := range []int{0, 1, 999, 1000, 1001, 2500} {
		s := open(t, t.TempDir(), journal.Options{})
		evs := make([]kedge.Event, n)
		for i := range evs {
			evs[i] = note(t, i)
		}
		if n > 0 {
			appendAll(t, s, "", evs...)
		}
		want := int64(0)
		for ev, err := range s.Since(t.Context(), 0) {
			if want++; err != nil || ev.Seq != want {
				t.Fatalf("of %d, forwards: event %d, want %d, %v", n, ev.Seq, want, err)
			}
		}
		if want != int64(n) {
			t.Errorf("of %d events, forwards gave %d", n, want)
		}
		for ev, err := range s.Backwards(t.Context()) {
			if err != nil || ev.Seq != want {
				t.Fatalf("of %d, backwards: event %d, want %d, %v", n, ev.Seq, want, err)
			}
			want--
		}
		if want != 0 {
			t.Errorf("of %d events, backwards left %d", n, want)
		}
	}
}

// TestSinceStartsAfterASequenceNumber and sees what is added while it is read.
func TestSinceStartsAfterASequenceNumber(t *testing.T) {
	s := open(t, t.TempDir(), journal.Options{})
	evs := make([]kedge.Event, 1000)
	for i := range evs {
		evs[i] = note(t, i)
	}
	appendAll(t, s, "", evs...)
	var got []int64
	for ev, err := range s.Since(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if ev.Seq == 1 {
			appendAll(t, s, "", note(t, 1000))
		}
		got = append(got, ev.Seq)
	}
	if len(got) != 1001 || got[1000] != 1001 {
		t.Errorf("read %d events, the last is %v", len(got), got[len(got)-1:])
	}
	for ev, err := range s.Since(t.Context(), 1000) {
		if err != nil || ev.Seq != 1001 {
			t.Errorf("after 1000: %d, %v", ev.Seq, err)
		}
	}
}

// TestIteratorsEndWithTheirError, once.
func TestIteratorsEndWithTheirError(t *testing.T) {
	s := open(t, t.TempDir(), journal.Options{})
	appendAll(t, s, "", note(t, 1))
	ctx, stop := context.WithCancel(t.Context())
	stop()
	for name, events := range map[string]func(func(kedge.Event, error) bool){"since": s.Since(ctx, 0), "backwards": s.Backwards(ctx)} {
		values := 0
		for _, err := range events {
			if values++; !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if values != 1 {
			t.Errorf("%s gave %d values", name, values)
		}
	}
}
