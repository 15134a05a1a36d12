// Package clitest answers the calls of commands in tests with the golden answers of
// internal/server. So a command's test and the service's test use the same answers. It
// owns no data of its own.
package clitest

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Goldens answers every call with the golden of its answer, and notes which were made.
type Goldens struct {
	T     *testing.T
	Calls []string
}

// Call answers one call. A call without a golden fails the test.
func (g *Goldens) Call(_ context.Context, name string, _, out any, _ func(json.RawMessage)) error {
	g.T.Helper()
	g.Calls = append(g.Calls, name)
	return json.Unmarshal(Golden(g.T, name), out)
}

// Golden is the golden of the answer of one call.
func Golden(t *testing.T, call string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(Root(t), "internal", "server", "testdata", "answers", call+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Root is the folder of the repository: tests of packages at any depth find it.
func Root(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			t.Fatalf("no go.mod above %s", dir)
		}
	}
}
