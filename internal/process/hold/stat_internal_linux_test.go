package hold

import "testing"

// TestF10ProcessThatEnds: a holder that was killed has its socket closed while the system
// still lists it as running. It holds nothing then, and what it held must be ended.
func TestF10ProcessThatEnds(t *testing.T) {
	const rest = " 0 0 0 0 3 4 0 0 20 0 1 0 7777 0 0"
	for line, want := range map[string]stat{
		"9 (a) b) S 1 9 9 0 -1 4194560" + rest:  {pid: 9, ppid: 1, start: 7777, ticks: 7},
		"9 (kedge) R 1 9 9 0 -1 4194308" + rest: {pid: 9, ppid: 1, ending: true, start: 7777, ticks: 7},
		"9 (kedge) Z 1 9 9 0 -1 4194316" + rest: {pid: 9, ppid: 1, zombie: true, ending: true, start: 7777, ticks: 7},
	} {
		if got, ok := parseStat(9, []byte(line)); !ok || got != want {
			t.Errorf("%q: %+v", line, got)
		}
	}
}
