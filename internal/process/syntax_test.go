package process_test

import (
	"strings"
	"testing"

	"kedge/internal/process"
)

func TestSyntaxError(t *testing.T) {
	for line, bad := range map[string]bool{
		"true":                      false,
		"exit 2":                    false,
		"touch /nobody-may-do-this": false,
		"test -e a && ! grep -q x b || (cd c; ls)": false,
		"curl -f http://127.0.0.1:{port}/health":   false,
		"no-such-program --flag":                   false,
		"":                                         false,
		"if then":                                  true,
		"echo 'open":                               true,
		"(true":                                    true,
		"true | | true":                            true,
		"for x in":                                 true,
	} {
		said := process.SyntaxError(line)
		if (said != "") != bad || strings.Contains(said, "\n") {
			t.Errorf("%q: %q", line, said)
		}
	}
}
