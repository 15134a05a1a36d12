package ledger

import (
	"bytes"
	"maps"
	"slices"
)

// ToLF turns CRLF line ends, which some checkouts have, into LF.
func ToLF(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")) }

// SameText tells whether a file with content a has the text b, whatever the line ends of
// a.
func SameText(a, b []byte) bool { return bytes.Equal(ToLF(a), b) }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
