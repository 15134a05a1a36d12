package codex

import (
	"encoding/json"
	"testing"
)

// An error of two names has the same one for everybody who reads it.
func TestCodexErrorHasOneName(t *testing.T) {
	e := &failure{Info: json.RawMessage(`{"c":{"httpStatusCode":3},"a":{"httpStatusCode":1},"b":{"httpStatusCode":2},"d":{}}`)}
	for range 100 {
		if name, status := e.name(); name != "a" || status != 1 {
			t.Fatalf("it is %q, %d", name, status)
		}
	}
	if name, status := (&failure{Info: json.RawMessage(`{}`)}).name(); name != "" || status != 0 {
		t.Errorf("without a name it is %q, %d", name, status)
	}
}
