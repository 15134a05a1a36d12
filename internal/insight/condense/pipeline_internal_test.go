package condense

import "testing"

// TestSource: of a line the command counts whose output is seen.
func TestSource(t *testing.T) {
	for command, want := range map[string]mode{
		"go test ./... 2>&1 | tail -40":               reporting,
		"go test ./... |& grep FAIL":                  reporting,
		`go test ./... 2>&1 | grep -E "FAIL|ok"`:      reporting,
		`make | grep -v "a && b"`:                     reporting,
		"grep -rn x . | grep y | head":                matches,
		`grep -rnE "foo|bar" .`:                       matches,
		"cd a && git log --oneline | head -100":       listing,
		"find . -name '*.go' | sort":                  listing,
		"ls -R || true":                               listing,
		"git -C a --no-pager diff | cat":              difference,
		"FOO=1 sudo ls -la;":                          listing,
		"echo 'ls | x'; rg foo":                       matches,
		"ps aux | grep node":                          listing,
		"":                                            reporting,
		"|":                                           reporting,
		`echo "not closed | ls`:                       reporting,
		"cat a.log | grep ERROR":                      reporting,
		"git log -p | grep -n foo":                    difference,
		"npm test | tee out.txt | tail -5 && rg done": reporting,
		"go test ./...; git status":                   reporting,
		"go build ./... && ls -R":                     reporting,
		"make\nfind .":                                reporting,
		"make & ls":                                   reporting,
		"ls a 2>&1; ls b &> x; find .":                listing,
		"ls a; rg b":                                  reporting,
		"find . -name '*.go' | xargs grep -n TODO":    matches,
		"find . | xargs ls -l | sort":                 listing,
		`find . -name '*.go' -exec grep -n TODO {} +`: matches,
		"find . -type f -exec go vet {} ;":            reporting,
		"fd -e go -x wc -l":                           reporting,
		"git log -L 1,5:a.go":                         difference,
		"mkdir -p x && cd x && git diff":              difference,
		"export A=1; set -e; rg foo | head":           matches,
	} {
		if got := modeOf(command); got != want {
			t.Errorf("%q: %v, want %v", command, got, want)
		}
	}
}

// TestName: the runs of one program are counted together.
func TestName(t *testing.T) {
	for command, want := range map[string]string{
		"go test ./... 2>&1 | tail": "go test", "cd a && FOO=1 npm run lint": "npm run", "/usr/bin/make -k": "make", "ls": "ls", "git -C a log": "git log",
		"cat a.go": "cat", "": "", "echo hi": "echo hi", "./run.sh fast": "run.sh fast",
	} {
		if got := Name(command); got != want {
			t.Errorf("%q: %q, want %q", command, got, want)
		}
	}
}
