package hold

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestF14SweepOfLaunches: only a folder that never held anything, and that nobody
// is about to use, goes.
func TestF14SweepOfLaunches(t *testing.T) {
	for name, c := range map[string]struct {
		files  []string
		locked bool
		goes   bool
	}{
		"one without a lock yet": {[]string{"token.json", ".kedge-tmp-x"}, false, true},
		"one that was only made": {nil, false, true},
		"one with a mark":        {[]string{"lock", "index=x"}, false, false},
		"a launch that died":     {[]string{"lock", "token.json", "index"}, false, true},
		"one on its way":         {[]string{"lock", "token.json"}, true, false},
		"one that held":          {[]string{"lock", "token.json", "index", "holder.json"}, false, false},
		"one that has ended":     {[]string{"lock", "token.json", "exit.json"}, false, false},
		"one with a tape":        {[]string{"lock", "index", "log.0"}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "ses")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			for _, file := range c.files {
				name, text, _ := strings.Cut(file, "=")
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if c.locked {
				f, err := lockFolder(dir)
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
			}
			Sweep(dir, "token.json")
			if _, err := os.Stat(dir); os.IsNotExist(err) != c.goes {
				t.Errorf("gone: %v", os.IsNotExist(err))
			}
		})
	}
}
