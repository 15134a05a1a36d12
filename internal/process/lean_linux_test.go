package process

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestConstants: only what cannot be written, was never written to, and is of the
// program's own file.
func TestConstants(t *testing.T) {
	const clean, written, swapped = "Rss: 8 kB\nAnonymous: 0 kB\nSwap: 0 kB\nVmFlags: rd mr\n", "Rss: 8 kB\nAnonymous: 4 kB\nSwap: 0 kB\n", "Anonymous: 0 kB\nSwap: 4 kB\n"
	const smaps = "00400000-00d64000 r-xp 00000000 fe:00 10438594   /opt/a dir/kedge\n" + clean +
		"00d64000-015a2000 r--p 00964000 fe:00 10438594   /opt/a dir/kedge\n" + clean +
		"015a2000-01624000 rw-p 011a2000 fe:00 10438594   /opt/a dir/kedge\n" + clean +
		"01624000-0366d000 rw-p 00000000 00:00 0\n" + clean +
		"02000000-02001000 r--s 00000000 fe:00 10438594   /opt/a dir/kedge\n" + clean +
		"02001000-02002000 r--p 00000000 fe:00 10438594   /opt/a dir/kedge\n" + written +
		"02002000-02003000 r-xp 00000000 fe:00 10438594   /opt/a dir/kedge\n" + written +
		"02003000-02004000 r--p 00000000 fe:00 10438594   /opt/a dir/kedge\n" + swapped +
		"02004000-02005000 r-xp 00000000 fe:00 10438594   /opt/a dir/kedge\nRss: 8 kB\n" + // nothing told
		"02005000-02006000 ---p 00000000 fe:00 10438594   /opt/a dir/kedge\n" + clean +
		"7f0484455000-7f0484456000 r-xp 00000000 fe:00 7  /usr/lib/libc.so.6\n" + clean +
		"zz-7f0484456000 r-xp 00000000 fe:00 7  /opt/a dir/kedge\n" + clean +
		"02007000-02008000 r--p 00000000 fe:00 10438594   /opt/a dir/kedge\n" + clean
	got := constants(strings.NewReader(smaps), "/opt/a dir/kedge")
	want := []mapping{{0x400000, 0xd64000}, {0xd64000, 0x15a2000}, {0x2007000, 0x2008000}}
	if !slices.Equal(got, want) {
		t.Errorf("%x", got)
	}
}

// TestRest: a process that rested goes on as before: its code, its constants, its
// types, and what the loader wrote.
func TestRest(t *testing.T) {
	Rest()
	runtime.GC()
	type thing struct {
		Name string         `json:"name"`
		Of   map[string]any `json:"of"`
	}
	b, err := json.Marshal(thing{Name: "rested", Of: map[string]any{"a": 1, "b": []string{"c"}}})
	if err != nil || string(b) != `{"name":"rested","of":{"a":1,"b":["c"]}}` {
		t.Errorf("%s %v", b, err)
	}
	if _, err := os.Stat(filepath.Join(t.TempDir(), "nothing")); !os.IsNotExist(err) {
		t.Error(err)
	}
}

// TestRestAtNoFixedPlace: the same in a program that a loader put somewhere and
// relocated: what it wrote must stay.
func TestRestAtNoFixedPlace(t *testing.T) {
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command to build a program with")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	program := filepath.Join(t.TempDir(), "lean.test")
	build := exec.CommandContext(ctx, tool, "test", "-c", "-buildmode=pie", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOPROXY=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Skipf("no such program can be built here: %v\n%s", err, out)
	}
	if out, err := exec.CommandContext(ctx, program, "-test.run=^TestRest$", "-test.count=2").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
