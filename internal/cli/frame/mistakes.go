package frame

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"kedge/internal/text/words"

	"github.com/spf13/cobra"

	"kedge"
)

// UsageError turns an error about flags or arguments into ours, with the help as its hint.
func UsageError(c *cobra.Command, err error) error {
	msg, _, _ := strings.Cut(err.Error(), "\n") // cobra appends suggestions on lines of their own
	if num, ok := errors.AsType[*strconv.NumError](err); ok {
		msg = strings.Replace(msg, num.Error(), notNumber(num), 1)
	}
	if before, value, ok := strings.Cut(msg, "time: invalid duration "); ok {
		msg = before + value + " is not a duration such as 30s or 5m"
	}
	msg = strings.Replace(strings.Replace(msg, " 1 arg(s)", " 1 argument", 1), " arg(s)", " arguments", 1)
	return kedge.Errorf(kedge.Invalid, "%s", msg).WithHint("%s --help", c.CommandPath())
}

// notNumber says in words why a flag's value was not taken.
func notNumber(err *strconv.NumError) string {
	switch {
	case err.Func == "ParseBool":
		return fmt.Sprintf("%q is neither true nor false", err.Num)
	case errors.Is(err, strconv.ErrRange):
		return fmt.Sprintf("%q is too large a number", err.Num)
	default:
		return fmt.Sprintf("%q is not a number", err.Num)
	}
}

// UnknownCommand is the error for a name that no command below c has.
func UnknownCommand(c *cobra.Command, name string) error {
	meant := ""
	if near := Similar(c, name); len(near) > 0 {
		meant = "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return kedge.Errorf(kedge.Invalid, "%s has no command %q%s", c.CommandPath(), name, meant).
		WithHint("see its commands: %s --help", c.CommandPath())
}

// Similar gives the commands below c that a misspelt name may stand for.
func Similar(c *cobra.Command, name string) []string {
	c.SuggestionsMinimumDistance = Typo
	var out []string
	for _, s := range c.SuggestionsFor(name) {
		if strings.HasPrefix(s, name) || 2*words.Distance(s, name) <= len(name) { // else it is another word
			out = append(out, c.CommandPath()+" "+s)
		}
	}
	return out
}

// Typo is how many letters a name may differ from what was typed to be meant.
const Typo = 2

// Positive refuses a number that a flag was given and that means nothing there.
func Positive(c *cobra.Command, flag string, n, usual int) error {
	if !c.Flags().Changed(flag) || n > 0 {
		return nil
	}
	return kedge.Errorf(kedge.Invalid, "--%s %d is not a positive number", flag, n).
		WithHint("repeat your command with: --%s %d", flag, usual)
}
