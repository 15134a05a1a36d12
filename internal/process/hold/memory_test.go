package hold

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestF10KillCounts: where the count of kills stands, by what the system says
// of the process's control groups.
func TestF10KillCounts(t *testing.T) {
	for membership, want := range map[string][]string{
		"0::/user.slice/a.scope\n": {"/cg/user.slice/a.scope/memory.events", "/cg/memory.events"},
		"9:name=systemd:/\n4:memory:/box/1\n0::/\n": {
			"/cg/memory/box/1/memory.oom_control", "/cg/memory.events", "/cg/memory/memory.oom_control", "/cg/memory.events",
		},
		"5:cpu,memory:/x\n": {"/cg/memory/x/memory.oom_control", "/cg/memory/memory.oom_control"},
		"":                  nil,
		"nonsense\n1:2\n":   nil,
	} {
		if got := killCounts("/cg", membership); !slices.Equal(got, want) {
			t.Errorf("%q: %q", membership, got)
		}
	}
}

func TestF10ParseKills(t *testing.T) {
	for text, want := range map[string]int64{
		"low 0\nhigh 0\nmax 3\noom 2\noom_kill 2\noom_group_kill 0\n": 2,
		"oom_kill_disable 0\nunder_oom 0\noom_kill 17\n":              17,
		"oom_kill x\n": -1, "": -1, "oom 5\n": -1,
	} {
		n, ok := parseKills([]byte(text))
		if !ok {
			n = -1
		}
		if n != want {
			t.Errorf("%q: %d", text, n)
		}
	}
}

// TestF10MemoryWindow: only a kill since the look before the last one is taken
// for the program's own; where nothing counts, nothing is claimed.
func TestF10MemoryWindow(t *testing.T) {
	root := t.TempDir()
	membership := filepath.Join(root, "membership")
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("membership", "0::/\n")
	none := watchMemory(root, membership)
	none.look()
	if none.killed() {
		t.Error("killed where nothing counts")
	}
	put("memory.events", "oom_kill 3\n")
	m := watchMemory(root, membership)
	if m.killed() {
		t.Error("kills of the past are claimed")
	}
	put("memory.events", "oom_kill 4\n")
	if !m.killed() {
		t.Error("a kill is not seen")
	}
	m.look()
	if !m.killed() {
		t.Error("a kill just before a look is not seen")
	}
	m.look()
	if m.killed() {
		t.Error("an old kill is claimed")
	}
}
