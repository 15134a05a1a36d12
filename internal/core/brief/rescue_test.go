package brief_test

import (
	"reflect"
	"strings"
	"testing"

	"kedge/internal/core/brief"
)

func TestRescue(t *testing.T) {
	last := write(t, sampleCheckpoint())
	edited := strings.Replace(string(last), "## Open risks\n", "## Open risks\n- mind the gap\n\n", 1)
	tests := []struct {
		name, old, notes string
		moved            []string
	}{
		{"as written", string(last), "\nRemember the release on Friday.\n", nil},
		{"a line above the marker", edited, "\nRemember the release on Friday.\n- mind the gap\n", []string{"- mind the gap"}},
		{"notes without a line end", edited + "and more", "\nRemember the release on Friday.\nand more\n- mind the gap\n", []string{"- mind the gap"}},
		{"no marker at all", "my own\ntext\n", "my own\ntext\n", nil},
		{"empty", "", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			notes, moved := brief.Rescue([]byte(tt.old), last)
			if notes != tt.notes || !reflect.DeepEqual(moved, tt.moved) {
				t.Errorf("notes %q, moved %q", notes, moved)
			}
		})
	}
}
