package sessions

import (
	"testing"

	"kedge/internal/cli/frame"
)

// TestExportJSON: what is printed about an export that went into a file.
func TestExportJSON(t *testing.T) {
	b, err := frame.Encode(exportReply{Session: "ses-1", Format: "text", File: "/f", Bytes: 3})
	if want := `{"session":"ses-1","format":"text","file":"/f","bytes":3}` + "\n"; err != nil || string(b) != want {
		t.Errorf("export --out: %s, %v", b, err)
	}
}
