package gate_test

import (
	"testing"

	"kedge"
	"kedge/internal/engine/gate"
)

// TestOwnAlways: a feature's own checks run also where one before them is red, the plan's
// beside them do not.
func TestOwnAlways(t *testing.T) {
	for _, always := range []int{0, 1} {
		q := request(t, kedge.Check{Name: "suite", Run: "false"})
		q.Own, q.OwnAlways = []kedge.Check{{Name: "own", Run: "false"}, {Name: "plan", Run: "true"}}, always
		v := mustRun(t, q)
		if ran := v.Checks[1].Skipped == "" && v.Checks[1].FirstFailure != nil; ran != (always == 1) || v.Checks[2].Skipped == "" || v.Verdict != kedge.TestFailure {
			t.Errorf("%d: %+v", always, v.Checks)
		}
	}
}

// TestWhatWaitsIsNotRed: what needs approval is a warning that waits, unless the feature's
// paths name it; Kedge's own files stay what they are, and where nobody is asked nothing waits.
func TestWhatWaitsIsNotRed(t *testing.T) {
	for name, of := range map[string]struct {
		review bool
		named  []string
		level  kedge.Level // of the protected file
		waits  bool
		kedges kedge.Level // of Kedge's own
	}{
		"reviewed":    {true, nil, kedge.LevelWarning, true, kedge.LevelError},
		"named":       {true, []string{".github/**", "tool"}, kedge.LevelInfo, false, kedge.LevelError},
		"not named":   {true, []string{"**"}, kedge.LevelWarning, true, kedge.LevelError},
		"nobody asks": {false, nil, kedge.LevelError, false, kedge.LevelError},
	} {
		t.Run(name, func(t *testing.T) {
			q := request(t, kedge.Check{Name: "unit", Run: "true"})
			r := changed("M .github/ci.yml", "A tool", "A logo.png", "M .kedge/gate.toml")
			r.files["tree:tool"], r.files["tree:logo.png"] = "\x7fELF\x02\x00", "\x89PNG\r\n\x1a\n\x00"
			q.Repo, q.Protect, q.Review, q.Named = r, []string{".github/**", ".kedge/**"}, of.review, of.named
			found, err := gate.Inspect(t.Context(), q, "tree")
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]kedge.Finding{}
			for _, f := range found {
				got[f.Where] = f
			}
			if f := got[".github/ci.yml"]; f.Level != of.level || f.Waits != of.waits {
				t.Errorf("%+v", f)
			}
			if f := got["tool"]; f.Waits != of.waits || f.Level == kedge.LevelError || f.Fix == "" {
				t.Errorf("%+v", f)
			}
			if f := got["logo.png"]; f.Waits || f.Level != kedge.LevelInfo {
				t.Errorf("%+v", f)
			}
			if f := got[".kedge/gate.toml"]; f.Waits || f.Level != of.kedges {
				t.Errorf("%+v", f)
			}
		})
	}
}
