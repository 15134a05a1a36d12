package check

import (
	"slices"
	"strconv"
	"strings"

	"kedge"
)

// methods are the words that begin a request.
var methods = []string{get, "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}

// get is the method of a request that names none.
const get = "GET"

// Line reads a check that is written on one line, behind "check:" in a plan or --check on
// the command line. "http GET /users 200" is a request, "e2e COMMAND" a command with the
// project's services up, anything else a shell line. It does not validate: what is
// wrong with a request, Validate says.
func Line(line string) kedge.Check {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	switch {
	case word == string(kedge.CheckE2E) && !IsBlank(rest):
		return EndToEnd(rest)
	case word == Request && isRequest(strings.Fields(rest)):
		return Ask(rest)
	}
	return kedge.Check{Name: "check", Run: line}
}

// EndToEnd is the check that runs a command with the project's services up.
func EndToEnd(command string) kedge.Check {
	return kedge.Check{Name: string(kedge.CheckE2E), Kind: kedge.CheckE2E, Run: strings.TrimSpace(command)}
}

// Ask is the check that makes a request: "GET /users 200". Method and status may be left
// out.
func Ask(request string) kedge.Check {
	fields := strings.Fields(request)
	h := kedge.HTTPCheck{}
	if len(fields) > 1 && isMethod(fields[0]) {
		h.Method, fields = strings.ToUpper(fields[0]), fields[1:]
	}
	if n := len(fields) - 1; n > 0 && isStatus(fields[n]) {
		h.Status, _ = strconv.Atoi(fields[n]) // three digits
		fields = fields[:n]
	}
	h.URL = strings.Join(fields, " ") // one with a blank is no address
	return kedge.Check{Name: Request, HTTP: &h}
}

// isRequest tells a request from a shell line of a program that is called http, too.
func isRequest(fields []string) bool {
	if len(fields) == 0 {
		return false
	}
	named := isMethod(fields[0])
	if named {
		fields = fields[1:]
	}
	return len(fields) > 0 && (isAddress(fields[0]) || named && isStatus(fields[len(fields)-1]))
}

func isMethod(word string) bool { return slices.Contains(methods, strings.ToUpper(word)) }

func isAddress(word string) bool {
	return isLocal(word) || strings.HasPrefix(word, "http://") || strings.HasPrefix(word, "https://")
}

func isStatus(word string) bool {
	n, err := strconv.Atoi(word)
	return err == nil && len(word) == 3 && n >= 100
}

// isLocal tells whether an address is a path at the project's first service.
func isLocal(url string) bool { return strings.HasPrefix(url, "/") && !strings.HasPrefix(url, "//") }

// Address is where a request goes: a path goes to the project's first service.
func Address(h kedge.HTTPCheck) string {
	if isLocal(h.URL) {
		return "http://127.0.0.1:" + PortPlace + h.URL
	}
	return h.URL
}

// Lines makes checks of lines. Those of one kind are numbered: check, check2, check3, …
func Lines(lines []string) []kedge.Check {
	out := make([]kedge.Check, len(lines))
	for i, line := range lines {
		out[i] = Line(line)
	}
	return Numbered(out)
}

// Numbered gives checks that have the same name a number behind it, from the second on.
func Numbered(list []kedge.Check) []kedge.Check {
	seen := map[string]int{}
	for i, c := range list {
		if seen[c.Name]++; seen[c.Name] > 1 {
			list[i].Name = c.Name + strconv.Itoa(seen[c.Name])
		}
	}
	return list
}

// Leaves are the files that a check leaves for people to look at: those that it names,
// else those of its kind.
func Leaves(c kedge.Check) []string {
	if len(c.Evidence) > 0 {
		return c.Evidence
	}
	return KindOf(c).Leaves
}
