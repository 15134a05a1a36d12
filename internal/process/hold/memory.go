package hold

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// outOfMemory watches how many processes of the holder's control group the
// kernel has ended for want of memory. The count is the group's, not the
// program's, so it is looked at again and again: only a kill within the last two
// looks is taken to be the program's own.
type outOfMemory struct {
	file         *os.File // nil: nothing here counts such kills
	buf          [1 << 10]byte
	older, newer int64
}

// watchMemory finds the count of this process's own control group.
func watchMemory(root, membership string) *outOfMemory {
	b, err := os.ReadFile(membership)
	if err != nil {
		return &outOfMemory{}
	}
	for _, file := range killCounts(root, string(b)) {
		f, err := os.Open(file)
		if err != nil {
			continue
		}
		m := &outOfMemory{file: f}
		if n, ok := m.kills(); ok {
			m.older, m.newer = n, n
			return m
		}
		_ = f.Close() // only read
	}
	return &outOfMemory{}
}

// killCounts are the files that may have the count, by what /proc/self/cgroup
// says: of the group itself, else of what is mounted as the top of a container.
func killCounts(root, membership string) []string {
	var own, top []string
	for line := range strings.Lines(membership) {
		part := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(part) != 3 {
			continue
		}
		for _, controller := range strings.Split(part[1], ",") {
			switch {
			case controller == "memory":
				own = append(own, filepath.Join(root, "memory", part[2], "memory.oom_control"))
				top = append(top, filepath.Join(root, "memory", "memory.oom_control"))
			case controller == "" && part[0] == "0":
				own = append(own, filepath.Join(root, part[2], "memory.events"))
				top = append(top, filepath.Join(root, "memory.events"))
			}
		}
	}
	return append(own, top...)
}

// kills reads the count anew. A session that rests is looked at every second for
// days, so nothing is opened or reserved for it.
func (m *outOfMemory) kills() (int64, bool) {
	n, err := m.file.ReadAt(m.buf[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, false
	}
	return parseKills(m.buf[:n])
}

// parseKills reads the line "oom_kill N", which both versions of the files have.
func parseKills(text []byte) (int64, bool) {
	for len(text) > 0 {
		var line []byte
		line, text, _ = bytes.Cut(text, []byte("\n"))
		name, value, _ := bytes.Cut(line, []byte(" "))
		if string(name) == "oom_kill" {
			n, err := strconv.ParseInt(string(value), 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}

// look notes the present count.
func (m *outOfMemory) look() {
	if m.file == nil {
		return
	}
	if n, ok := m.kills(); ok {
		m.older, m.newer = m.newer, n
	}
}

// killed tells whether the kernel has ended somebody since the look before the
// last one.
func (m *outOfMemory) killed() bool {
	if m.file == nil {
		return false
	}
	n, ok := m.kills()
	return ok && n > m.older
}
