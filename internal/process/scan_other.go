//go:build !linux

package process

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// awaitExit reaps the shell at once: there is no portable way to look without.
func awaitExit(p *Proc) { _ = p.reap() }

// markFiles: descriptors cannot be looked at here, so none is lent.
func markFiles(*os.File) []*os.File { return nil }

// marks recognises a process of the tree by the environment that ps shows.
type marks struct {
	mark  string
	shown map[int]string // command and environment of the last look, by pid
}

func newMarks(_ int, mark string, _ *os.File) *marks { return &marks{mark: mark} }

func (m *marks) younger(process) bool { return true }

func (m *marks) on(p process) bool { return strings.Contains(m.shown[p.pid], m.mark) }

func (m *marks) processes() ([]process, error) {
	out, err := exec.CommandContext(context.Background(), "ps", "-axEwwo", "pid=,ppid=,pgid=,state=,lstart=,command=").Output()
	if err != nil {
		return nil, err
	}
	var ps []process
	m.shown = map[int]string{}
	for line := range strings.Lines(string(out)) {
		if p, ok := parsePS(line); ok {
			ps = append(ps, p)
			m.shown[p.pid] = line
		}
	}
	return ps, nil
}

// lstartFields: "Mon Jan  2 15:04:05 2006".
const lstartFields = 5

func parsePS(line string) (process, bool) {
	f := strings.Fields(line)
	if len(f) < 4+lstartFields {
		return process{}, false
	}
	var n [3]int
	for i := range n {
		v, err := strconv.Atoi(f[i])
		if err != nil {
			return process{}, false
		}
		n[i] = v
	}
	return process{pid: n[0], ppid: n[1], pgid: n[2], start: strings.Join(f[4:4+lstartFields], " "), gone: f[3][0] == 'Z'}, true
}

func sameProcess(p process) bool {
	out, err := exec.CommandContext(context.Background(), "ps", "-o", "lstart=", "-p", strconv.Itoa(p.pid)).Output()
	return err == nil && strings.Join(strings.Fields(string(out)), " ") == p.start
}
