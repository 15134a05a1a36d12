package process

import (
	"slices"
	"strings"
)

// Getenv returns the value of a variable in an environment of the form of os.Environ, or ""
// when it has none. The last of equal names wins, as it does for a program started with the list.
func Getenv(env []string, name string) string {
	value, _ := LookupEnv(env, name)
	return value
}

// LookupEnv returns the value of a variable, and whether the list has it.
func LookupEnv(env []string, name string) (string, bool) {
	for _, kv := range slices.Backward(env) {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v, true
		}
	}
	return "", false
}
