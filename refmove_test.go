package kedge_test

import (
	"strings"
	"testing"

	"kedge"
)

// TestRefMoveReadBack: what is told of a move is read back from the journal as it was.
func TestRefMoveReadBack(t *testing.T) {
	ses := kedge.SessionID("ses-00000000000000000000000001")
	for name, m := range map[string]kedge.RefMove{
		"by somebody":         {Ref: "refs/heads/main", From: "0123456789ab", To: "ba9876543210", Session: ses},
		"in the worktree too": {Ref: "refs/heads/a/b", From: "0123456789ab", To: "ba9876543210", Session: ses, Within: true},
		"by an older Kedge":   {Ref: "refs/heads/main", From: "0123456789ab", To: "ba9876543210"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, ok := kedge.RefMoveOf(m.Finding()); !ok || got != m {
				t.Errorf("read back as %+v, %v; it was %+v", got, ok, m)
			}
			undo := "git update-ref " + m.Ref + " 0123456789ab ba9876543210"
			if fix := m.Finding().Fix; strings.Contains(fix, undo) != m.Within {
				t.Errorf("the fix is %q", fix)
			}
		})
	}
	old := kedge.Finding{Where: "refs/heads/main", What: "refs/heads/main moved from 0123456789ab to ba9876543210 while " + string(ses) + " worked"}
	if m, ok := kedge.RefMoveOf(old); !ok || m != (kedge.RefMove{Ref: old.Where, From: "0123456789ab", To: "ba9876543210", Session: ses}) {
		t.Errorf("a finding of an older Kedge was read back as %+v, %v", m, ok)
	}
	for name, f := range map[string]kedge.Finding{
		"made":    kedge.RefMove{Ref: "refs/tags/v1", To: "ba9876543210", Session: ses}.Finding(),
		"removed": kedge.RefMove{Ref: "refs/tags/v1", From: "ba9876543210", Session: ses}.Finding(),
		"other":   {What: "tried to edit a", Where: "a"},
		"none":    {},
	} {
		if m, ok := kedge.RefMoveOf(f); ok {
			t.Errorf("%s: read as the move %+v", name, m)
		}
	}
}
