package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/process/tape"
)

// looks is all that a terminal shows: text, colours, the cursor, and what it does with keys
// and the mouse.
func (p *pane) looks() string {
	p.k.t.Helper()
	return p.tmux("display-message", "-p", "-t", p.id, "cursor #{cursor_x},#{cursor_y} #{cursor_flag}, second screen #{alternate_on}, "+
		"keys #{keypad_cursor_flag} #{keypad_flag}, mouse #{mouse_any_flag} #{mouse_sgr_flag}, margins #{scroll_region_upper} #{scroll_region_lower}, wrap #{wrap_flag}") +
		p.tmux("capture-pane", "-p", "-e", "-t", p.id)
}

// calmLooks are those of a terminal that has not changed for a while.
func (p *pane) calmLooks() (now string) {
	p.k.t.Helper()
	last, calm := "", 0
	p.await("a terminal that does not change", func() bool {
		now = p.looks()
		if calm++; now != last {
			last, calm = now, 0
		}
		return calm >= 8
	})
	return now
}

// end is how long a session's log is.
func (k *keeper) end(id kedge.SessionID) int64 {
	k.t.Helper()
	_, end, err := tape.Open(k.folder(id)).Range()
	if err != nil {
		k.t.Fatal(err)
	}
	return end
}

// redrawn asks a program to draw its screen again, and gives what the terminal then shows.
func (p *pane) redrawn(id kedge.SessionID, key string) string {
	p.k.t.Helper()
	was := p.k.end(id)
	p.keys(key)
	p.await("the program draws", func() bool { return p.k.end(id) > was })
	return p.calmLooks()
}

// screens is a program that fills the screen.
type screens struct {
	name    string
	command []string
	begins  string   // what it shows when it has begun
	act     []string // keys that make something of it
	acted   string   // what it shows then
	redraw  string   // the key that makes it draw all of its screen
}

// TestRow51ScreensOfPrograms: the screen of vim, less and htop, of somebody who comes back
// after the daemon was killed, on terminals of three sizes, is the one that was there, and
// the one that the program draws when it is asked to draw all of it again.
func TestRow51ScreensOfPrograms(t *testing.T) {
	needs(t, "vim", "less", "htop", "tmux")
	text, rc := filepath.Join(t.TempDir(), "text"), filepath.Join(t.TempDir(), "htoprc")
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "%03d the 世界 line %s end\n", i, strings.Repeat("x", i%70))
	}
	if err := os.WriteFile(text, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	// What it shows of the machine is otherwise each time; Z makes it keep the processes.
	meters := "column_meters_0=Hostname\ncolumn_meter_modes_0=2\ncolumn_meters_1=System\ncolumn_meter_modes_1=2\n"
	if err := os.WriteFile(rc, []byte(meters), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, s := range []screens{
		{"vim", []string{"vim", "--clean", "-n", "+set nonumber ruler noshowcmd hlsearch", text}, "000 the",
			[]string{"6", "0", "G", ":split", "Enter", "i", "new ", "Escape", ":2", "Enter", "C-l"}, " 2,1 ", "C-l"},
		{"less", []string{"less", "-S", text}, "000 the", []string{"5", "0", "g"}, "060 the", "r"},
		{"htop", []string{"htop", "-d", "100", "-p", "1"}, "PID", []string{"t", "Z"}, "F5List", "C-l"},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			k := newKeeper(t)
			k.run(append([]string{"new", s.name, "--", "env", "TERM=xterm-256color", "LC_ALL=C.UTF-8", "HTOPRC=" + rc}, s.command...)...)
			p := k.pane(80, 24)
			p.attach(s.name, s.begins)
			p.keys(s.act...)
			p.shows(s.acted)
			p.detach(s.name)
			for _, size := range [][2]int{{80, 24}, {120, 40}, {45, 17}} {
				s.comesBack(k.pane(size[0], size[1]))
			}
		})
	}
}

// comesBack compares three looks: before somebody goes, after they come back, and after the
// program has drawn anew.
func (s screens) comesBack(p *pane) {
	p.k.t.Helper()
	p.k.killDaemon()
	was := s.shown(p)
	p.detach(s.name)
	p.k.killDaemon()
	back := s.shown(p)
	drawn := p.redrawn(p.k.session(p.k.dir, s.name).ID, s.redraw)
	p.detach(s.name)
	p.tmux("kill-server")
	if was != back || back != drawn {
		p.k.t.Errorf("%s showed:\n%s\n--- and to who came back:\n%s\n--- and drew anew:\n%s", s.name, was, back, drawn)
	}
}

// shown is what a terminal shows that attaches.
func (s screens) shown(p *pane) string {
	p.k.t.Helper()
	p.line("clear")
	p.await("an empty screen", func() bool { return strings.TrimSpace(p.screen()) == "outer>" })
	p.line(p.k.bin + " attach " + s.name)
	p.await("the session", func() bool {
		now := p.screen()
		return !strings.Contains(now, "outer>") && strings.TrimSpace(now) != ""
	})
	return p.calmLooks()
}
