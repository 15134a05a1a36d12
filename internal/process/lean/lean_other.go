//go:build !linux

package lean

// Rest does nothing here: the system does it by itself.
func Rest() {}
