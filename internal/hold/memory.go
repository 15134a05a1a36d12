package hold

import (
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
	file         string // empty: nothing here counts such kills
	older, newer int64
}

// watchMemory finds the count of this process's own control group.
func watchMemory(root, membership string) *outOfMemory {
	b, err := os.ReadFile(membership)
	if err != nil {
		return &outOfMemory{}
	}
	for _, file := range killCounts(root, string(b)) {
		if n, ok := readKills(file); ok {
			return &outOfMemory{file: file, older: n, newer: n}
		}
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

func readKills(file string) (int64, bool) {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	return parseKills(string(b))
}

// parseKills reads the line "oom_kill N", which both versions of the files have.
func parseKills(text string) (int64, bool) {
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name != "oom_kill" {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		return n, err == nil
	}
	return 0, false
}

// look notes the present count.
func (m *outOfMemory) look() {
	if m.file == "" {
		return
	}
	if n, ok := readKills(m.file); ok {
		m.older, m.newer = m.newer, n
	}
}

// killed tells whether the kernel has ended somebody since the look before the
// last one.
func (m *outOfMemory) killed() bool {
	if m.file == "" {
		return false
	}
	n, ok := readKills(m.file)
	return ok && n > m.older
}
