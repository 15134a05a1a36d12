package app_test

import (
	"os"
	"path/filepath"
	"testing"

	"kedge"
	"kedge/internal/app/memory"
	"kedge/internal/app/sessions"
	"kedge/internal/app/status"
)

// TestForgottenProjectStaysForgotten: a folder whose journal is gone is told to
// set Kedge up again; no call makes an empty journal in its place.
func TestForgottenProjectStaysForgotten(t *testing.T) {
	y := newYard(t, false)
	dir := filepath.Join(y.home, "projects", y.id)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	_, err := y.s.Status(t.Context(), y.person(), status.Request{})
	if !kedge.NotFound.Is(err) || kedge.HintOf(err) != "go to the project's folder, then: kedge init" {
		t.Errorf("status: %v", err)
	}
	if _, err := y.s.RiskAdd(t.Context(), y.person(), memory.RiskAddRequest{Text: "x"}); !kedge.NotFound.Is(err) {
		t.Errorf("risk: %v", err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Error("a journal was made")
	}
}

// TestDamagedProjectStopsNobodyElse: a journal that cannot be opened keeps the
// daemon neither from starting nor from listing the sessions of others.
func TestDamagedProjectStopsNobodyElse(t *testing.T) {
	y := newYard(t, false)
	bad := filepath.Join(y.home, "projects", "prj-"+y.id[4:len(y.id)-1]+"z")
	if err := os.MkdirAll(bad, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bad, "kedge.db"), []byte("this is no database, and long enough to be seen as none"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := y.s.Adopt(t.Context()); err != nil {
		t.Errorf("adopt: %v", err)
	}
	if _, err := y.s.SessionList(t.Context(), y.person(), sessions.SessionList{All: true}); err != nil {
		t.Errorf("ls --all: %v", err)
	}
}
