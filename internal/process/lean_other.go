//go:build !linux

package process

// Rest does nothing here: the system does it by itself.
func Rest() {}

// Behind does nothing: this system has priorities for whole processes only.
func Behind() {}
