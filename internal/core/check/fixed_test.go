package check_test

import (
	"testing"

	"kedge/internal/core/check"
)

func TestFixed(t *testing.T) {
	for line, want := range map[string]bool{
		"false": true, "exit 1": true, "! true": true, "test 1 = 2": true, "[ 1 -gt 2 ]": true, "false || exit 3": true,
		"sh -c 'exit 1'": true, "echo no && false": true, "true": true,
		"": false, "test -f a.txt": false, "[ -d src ]": false, "npm test": false, "false || make": false, "test $X = 1": false,
		"false <in": false, "test \"$(cat a)\" = b": false, "grep -q x y": false, "sh run.sh": false, "python -c 'exit(1)'": false,
		"sh -c 'make'": false, "[ a -nt b ]": false, "test -z $(gofmt -l .)": false, "[ $(grep -c x a) -eq 0 ]": false, "test -z `gofmt -l .`": false,
	} {
		if got := check.Fixed(line); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}
