package lean

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestConstants: only what cannot be written, and only of the program's own file.
func TestConstants(t *testing.T) {
	const maps = `00400000-00d64000 r-xp 00000000 fe:00 10438594   /opt/a dir/kedge
00d64000-015a2000 r--p 00964000 fe:00 10438594   /opt/a dir/kedge
015a2000-01624000 rw-p 011a2000 fe:00 10438594   /opt/a dir/kedge
01624000-0366d000 rw-p 00000000 00:00 0
02000000-02001000 r--s 00000000 fe:00 10438594   /opt/a dir/kedge
7f0484455000-7f0484456000 r-xp 00000000 fe:00 7  /usr/lib/libc.so.6
zz-7f0484456000 r-xp 00000000 fe:00 7  /opt/a dir/kedge
`
	got := constants(strings.NewReader(maps), "/opt/a dir/kedge")
	want := []mapping{{0x400000, 0xd64000}, {0xd64000, 0x15a2000}}
	if len(got) != len(want) || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%x", got)
	}
}

// table is a constant of this program that nobody else looks at.
const table = "what is taken out comes back as it was"

// TestRest: the code that does not run is gone from the process, and everything
// is as it was.
func TestRest(t *testing.T) {
	before := mapped(t)
	Rest()
	if after := mapped(t); after >= before {
		t.Errorf("%d KB of files before, %d KB after", before, after)
	}
	if !strings.HasPrefix(table, "what is taken out") || len(table) != 38 {
		t.Errorf("%q", table)
	}
}

// mapped is how much of files this process has in memory, in KB.
func mapped(t *testing.T) int {
	t.Helper()
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip(err)
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "RssFile:"); ok {
			n, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Skip("the system does not tell")
	return 0
}
