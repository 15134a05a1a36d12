package agents

import (
	"slices"
	"strings"
)

// CommandLine is how the arguments of a program are written: what of a command that you
// typed is an option, and what is the prompt.
type CommandLine struct {
	Values []string // options that take the next word
	Maybe  []string // options that take the next word unless that is an option
	Lists  []string // options that take every word up to the next option
	Flags  []string // options that take nothing

	Talks []string // of all these, the ones that choose a conversation
	Asks  []string // of all these, the ones whose value is a prompt
	Apart []string // of all these, the ones with which it has no screen, or only tells something
	// Commands are its subcommands that do something of their own: everything from such a
	// word on is theirs.
	Commands []string
	// Files says that its other words are files or folders and no prompt.
	Files bool
}

// Arguments are those of a command, by what they are for.
type Arguments struct {
	Options []string // with their values, as they were typed; those below are not among them
	Talks   []string // what chooses a conversation
	Prompt  []string // what it is to do
	Apart   []string // what gives it no screen
}

// Split sorts the arguments of a command. An option that Kedge does not know takes the
// next word if that is one word: a prompt is nearly always more. A subcommand is the first
// word that is neither an option nor taken by one.
func (l CommandLine) Split(args []string) Arguments {
	var out Arguments
	plain := false
	for len(args) > 0 {
		if !plain && slices.Contains(l.Commands, args[0]) {
			out.Apart = append(out.Apart, args...)
			break
		}
		plain = plain || !isOption(args[0]) || args[0] == "--"
		n := l.length(args)
		to := l.place(&out, args[0])
		*to = append(*to, args[:n]...)
		args = args[n:]
	}
	return out
}

// place is where the first of the arguments belongs, with what it takes.
func (l CommandLine) place(out *Arguments, arg string) *[]string {
	name, _, _ := strings.Cut(arg, "=")
	switch {
	case !isOption(arg) && l.Files:
		return &out.Options
	case !isOption(arg), arg == "--", slices.Contains(l.Asks, name):
		return &out.Prompt
	case slices.Contains(l.Talks, name):
		return &out.Talks
	case slices.Contains(l.Apart, name):
		return &out.Apart
	default:
		return &out.Options
	}
}

// length is how many words the first of the arguments is, with what it takes.
func (l CommandLine) length(args []string) int {
	arg := args[0]
	switch {
	case arg == "--":
		return len(args)
	case !isOption(arg), strings.Contains(arg, "="), slices.Contains(l.Flags, arg), len(args) == 1:
		return 1
	case slices.Contains(l.Values, arg):
		return 2
	case slices.Contains(l.Lists, arg):
		if i := slices.IndexFunc(args[1:], isOption); i >= 0 {
			return 1 + i
		}
		return len(args)
	case isOption(args[1]):
		return 1
	case slices.Contains(l.Maybe, arg), !strings.ContainsAny(args[1], " \t\n"):
		return 2
	default:
		return 1
	}
}

func isOption(arg string) bool { return len(arg) > 1 && arg[0] == '-' }
