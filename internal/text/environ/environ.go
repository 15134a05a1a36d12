// Package environ reads environments in the form of os.Environ: a list of NAME=value.
// It owns one rule: the last of equal names wins, as it does for a program that is
// started with the list. It never asks the environment of the process itself.
package environ

import (
	"slices"
	"strings"
)

// Get returns the value of a variable, or "" when the list does not have it.
func Get(env []string, name string) string {
	value, _ := Lookup(env, name)
	return value
}

// Lookup returns the value of a variable, and whether the list has it.
func Lookup(env []string, name string) (string, bool) {
	for _, kv := range slices.Backward(env) {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v, true
		}
	}
	return "", false
}
