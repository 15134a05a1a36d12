package detect_test

import (
	"slices"
	"testing"

	"kedge"
	"kedge/internal/core/detect"
)

func TestRunners(t *testing.T) {
	for line, want := range map[string]string{
		"sh script/test":                  "script/test",
		"./run-tests --fast":              "run-tests",
		"CI=1 bash -e tools/all.sh":       "tools/all.sh",
		"exec node scripts/check.js":      "scripts/check.js",
		"python3 manage.py test":          "manage.py",
		"python3 -m pytest":               "",
		"sh -c 'make test'":               "",
		"go test ./...":                   "",
		"make test":                       "",
		"/usr/bin/true":                   "",
		"for t in t/*.sh; do sh $t; done": "",
		"sh $SCRIPT":                      "",
		"":                                "",
	} {
		t.Run(line, func(t *testing.T) {
			got := detect.Runners([]kedge.Check{{Name: "suite", Run: line}, {Name: "again", Run: line}})
			if want == "" && len(got) > 0 || want != "" && !slices.Equal(got, []string{want}) {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}
