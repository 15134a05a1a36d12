package check

import (
	"strings"

	"kedge/internal/text/lazyre"
)

// onceTest and onceNote are the parts of a line of Once around the command.
const (
	onceTest = `if [ -e FILE ] || git cat-file -e "${KEDGE_BASE:-HEAD}:FILE" 2>/dev/null || [ $? = 127 ]; then `
	onceNote = "not run: FILE is not there yet"
)

var onceLine = lazyre.New(`^if \[ -e ([A-Za-z0-9_./-]+) \] \|\| git cat-file -e `)

// Once is a shell line that runs a command from the tree on that has a file. It runs where
// the checked tree has the file, or the base that the work started from: removing the file
// does not switch it off. Without git it cannot look at the base, and runs.
func Once(run, file string) string {
	return strings.ReplaceAll(onceTest, "FILE", file) + run + "; else echo '" + noteOf(file) + "'; fi"
}

func noteOf(file string) string { return strings.ReplaceAll(onceNote, "FILE", file) }

// Unwrapped is a shell line as somebody wrote it: of a line of Once the command in it.
func Unwrapped(line string) string {
	m := onceLine.FindStringSubmatch(line)
	if m == nil {
		return line
	}
	inner, ok := strings.CutPrefix(line, strings.ReplaceAll(onceTest, "FILE", m[1]))
	if !ok {
		return line
	}
	return strings.TrimSuffix(inner, "; else echo '"+noteOf(m[1])+"'; fi")
}

// WaitsFor is the file for which a line of Once waits, by its output; empty: the command
// ran. Such a result depends on the base, too, so it holds for no other gate.
func WaitsFor(line, output string) string {
	m := onceLine.FindStringSubmatch(line)
	if m == nil || strings.TrimSpace(output) != noteOf(m[1]) {
		return ""
	}
	return m[1]
}
