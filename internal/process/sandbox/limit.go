package sandbox

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"kedge"
)

// words are the limits as Limit takes them.
func (l Limits) words() []string {
	var out []string
	for _, w := range []struct {
		name  string
		value int64
	}{{"memory", l.Memory}, {"file", l.FileSize}, {"processes", l.Processes}} {
		if w.value > 0 {
			out = append(out, w.name+"="+strconv.FormatInt(w.value, 10))
		}
	}
	return append(out, "--")
}

// resources are the limits of the system behind the words.
var resources = map[string]int{"memory": unix.RLIMIT_DATA, "file": unix.RLIMIT_FSIZE, "processes": unix.RLIMIT_NPROC}

// Limit is the program that stands before a command to bound it: it sets the
// limits that its words name and becomes the command behind "--". It returns only
// when it cannot.
func Limit(args []string) error {
	i := slices.Index(args, "--")
	if i < 0 || i+1 == len(args) {
		return kedge.Errorf(kedge.Invalid, "kedge limit needs -- and a command after the limits")
	}
	command, environ := args[i+1:], os.Environ()
	path, err := exec.LookPath(command[0])
	if err != nil {
		return kedge.Errorf(kedge.NotFound, "%w", err)
	}
	limits, err := parseLimits(args[:i])
	if err != nil {
		return err
	}
	for _, l := range limits { // last: from here on this program may not even start a thread
		if err := unix.Setrlimit(l.resource, &l.value); err != nil {
			return kedge.Errorf(kedge.Internal, "cannot set the limits %s: %w", strings.Join(args[:i], " "), err)
		}
	}
	err = syscall.Exec(path, command, environ) //nolint:gosec // that is what it is for
	return kedge.Errorf(kedge.Invalid, "cannot start the program %q: %w", path, err)
}

// limit is one limit, ready to be set.
type limit struct {
	resource int
	value    unix.Rlimit
}

func parseLimits(words []string) ([]limit, error) {
	var out []limit
	for _, word := range words {
		name, text, _ := strings.Cut(word, "=")
		resource, known := resources[name]
		n, err := strconv.ParseUint(text, 10, 63)
		if !known || err != nil {
			return nil, kedge.Errorf(kedge.Invalid, "kedge limit does not know the limit %q", word)
		}
		var was unix.Rlimit
		if err := unix.Getrlimit(resource, &was); err != nil {
			return nil, kedge.Errorf(kedge.Internal, "cannot read the limit of %s: %w", name, err)
		}
		n = min(n, was.Max) // nobody but root could raise it
		out = append(out, limit{resource, unix.Rlimit{Cur: n, Max: n}})
	}
	return out, nil
}
