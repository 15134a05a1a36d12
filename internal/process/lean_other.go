//go:build !linux

package process

// Rest does nothing here: the system does it by itself.
func Rest() {}
