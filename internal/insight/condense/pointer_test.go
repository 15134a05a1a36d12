package condense_test

import (
	"fmt"
	"strings"
	"testing"

	"kedge/internal/insight/condense"
)

// TestCondensedOnlyWhereItSaves: the line that says where the whole output is counts too.
func TestCondensedOnlyWhereItSaves(t *testing.T) {
	var out strings.Builder
	for i := range 60 {
		fmt.Fprintln(&out, i+1)
	}
	text := out.String()
	short := condense.Condense("seq 1 60", text)
	saved := len(text) - len(short.Text)
	if saved <= 1 {
		t.Fatalf("it saves %d bytes", saved)
	}
	for _, x := range []struct {
		pointer int
		cut     bool
	}{{0, true}, {saved - 1, true}, {saved, false}, {saved + 1, false}} {
		pointer := strings.Repeat("x", x.pointer)
		got := condense.Pointing("seq 1 60", text, pointer)
		want := condense.Condensed{Text: text, Lines: 60, Shown: 60}
		if x.cut {
			want = short
			want.Text += pointer
		}
		if got.Text != want.Text || got.Shown != want.Shown || len(got.Cut) != len(want.Cut) {
			t.Errorf("with %d bytes behind it: %q", x.pointer, got.Text)
		}
	}
}
