package sessions

import (
	"testing"

	"kedge/internal/screen/vt"
)

// What a list shows of a screen is the last line that says something: no prompt, no frame.
func TestLastShown(t *testing.T) {
	for name, c := range map[string]struct{ printed, want string }{
		"nothing":              {"", ""},
		"a line":               {"one\r\ntwo\r\n", "two"},
		"a shell's prompt":     {"make: 'all' is up to date.\r\nme@host:~/shop$ ", "make: 'all' is up to date."},
		"a question":           {"one\r\ndrop the old column? (y/n) ", "drop the old column? (y/n)"},
		"a progress":           {"one\r\nloaded 100%", "loaded 100%"},
		"an agent's input box": {"\x1b[2J\x1b[5;1H* Editing internal/api/server.go\x1b[7;1H╭──────╮\x1b[8;1H│ >    │\x1b[9;1H╰──────╯\x1b[10;1H? for shortcuts\x1b[8;5H", "* Editing internal/api/server.go"},
		"what was drawn over":  {"old text\r\x1b[2Knew text", "new text"},
		"below the cursor":     {"\x1b[2J\x1b[20;1Hat the bottom\x1b[H", "at the bottom"},
	} {
		screen := vt.New(80, 24)
		_, _ = screen.Write([]byte(c.printed))
		if got := lastShown(screen); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
