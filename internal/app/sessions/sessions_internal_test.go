package sessions

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/core/config"
	"kedge/internal/process/tape"
)

// TestDrops: what is too old goes whole; what is too much goes from the front of
// the oldest, by segments, and the end of a session that is only trimmed stays.
func TestDrops(t *testing.T) {
	const seg = int64(tape.SegmentSize)
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	f := func(name string, days, bytes int64) folder {
		return folder{dir: name, ended: now.Add(-time.Duration(days) * 24 * time.Hour), bytes: bytes}
	}
	trimmed := folder{dir: "a", ended: now, from: 3 * seg, bytes: 4 * seg}
	for name, c := range map[string]struct {
		list []folder
		keep config.Sessions
		want []dropping
	}{
		"nothing there":    {nil, config.Sessions{KeepDays: 1, KeepBytes: 1}, nil},
		"no limits":        {[]folder{f("a", 9000, 9*seg)}, config.Sessions{}, nil},
		"just young":       {[]folder{f("a", 30, 1)}, config.Sessions{KeepDays: 30}, nil},
		"too old":          {[]folder{f("a", 31, 1), f("b", 3, 1)}, config.Sessions{KeepDays: 30}, []dropping{{folder: f("a", 31, 1), whole: true}}},
		"just enough":      {[]folder{f("a", 2, seg), f("b", 1, seg)}, config.Sessions{KeepBytes: 2 * seg}, nil},
		"a byte too much":  {[]folder{f("a", 2, 2*seg), f("b", 1, seg)}, config.Sessions{KeepBytes: 3*seg - 1}, []dropping{{folder: f("a", 2, 2*seg), before: seg}}},
		"one whole":        {[]folder{f("a", 2, seg), f("b", 1, seg)}, config.Sessions{KeepBytes: seg}, []dropping{{folder: f("a", 2, seg), whole: true}}},
		"whole and part":   {[]folder{f("a", 2, seg), f("b", 1, 4*seg)}, config.Sessions{KeepBytes: 2 * seg}, []dropping{{folder: f("a", 2, seg), whole: true}, {folder: f("b", 1, 4*seg), before: 2 * seg}}},
		"never the end":    {[]folder{f("a", 1, 10)}, config.Sessions{KeepBytes: 1}, []dropping{{folder: f("a", 1, 10), before: 9}}},
		"trimmed before":   {[]folder{trimmed}, config.Sessions{KeepBytes: 2 * seg}, []dropping{{folder: trimmed, before: 5 * seg}}},
		"old counts first": {[]folder{f("a", 40, 9*seg), f("b", 1, seg)}, config.Sessions{KeepDays: 30, KeepBytes: seg}, []dropping{{folder: f("a", 40, 9*seg), whole: true}}},
	} {
		got := drops(c.list, c.keep, now)
		if len(got) != len(c.want) {
			t.Errorf("%s: %+v", name, got)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: %+v, want %+v", name, got[i], c.want[i])
			}
		}
	}
}

// TestEnded: the end of a session is its holder's word, and none while it runs.
func TestEnded(t *testing.T) {
	s := &Manager{home: &projects.Home{Dir: t.TempDir()}}
	ses := kedge.Session{ID: "ses-1", State: kedge.SessionExited}
	if got := s.Ended(ses); !got.IsZero() {
		t.Errorf("without a word of it: %v", got)
	}
	dir := s.SessionDir(ses.ID)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "exit.json"), []byte(`{"at":1700000000123}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := s.Ended(ses); got.UnixMilli() != 1_700_000_000_123 {
		t.Errorf("ended at %v", got)
	}
	ses.State = kedge.SessionRunning
	if got := s.Ended(ses); !got.IsZero() {
		t.Errorf("while it runs: %v", got)
	}
}
