package ledger

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/memory"
	"kedge/internal/cli/frame"
)

// Remember is kedge remember.
func Remember(env *frame.Env) *cobra.Command {
	var in memory.NoteAddRequest
	var feature string
	var constraints, validation, deadEnds []string
	c := &cobra.Command{
		Use:   "remember TEXT",
		Short: "Keep what you learned as a note",
		Long: `Keep what you learned as a note, for kedge recall and for later sessions.

Kedge refuses a note that contains no decision, no file and no command,
because nobody can learn anything from it.`,
		Example: `  kedge remember "Strict by default, fuzzy flag optional"
  kedge remember "Retry middleware recreated expired tokens" --feature auth-refresh \
    --file src/http/retry.ts --validation "npm test -- auth" --dead-end "caching: stale after 401"`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			in.Text, in.Feature = args[0], kedge.FeatureID(feature)
			in.Constraints, in.Validation, in.DeadEnds = bullets(constraints), bullets(validation), bullets(deadEnds)
			out, err := frame.Call[memory.NoteReply](c.Context(), env, "note.add", in)
			if err != nil {
				return err
			}
			env.Aside(out.Notices)
			return env.Show(out, func(w io.Writer) {
				fmt.Fprintf(w, "%s  %s\n", out.Note.ID, placeOf(out.File, out.Unlanded, "kedge notes show "+string(out.Note.ID)))
			})
		},
	}
	f := c.Flags()
	f.StringVar(&in.Title, "title", "", "the `title` of the note (default: the text's first sentence)")
	f.StringVar(&feature, "feature", "", "the `id` of the feature that the note comes from")
	frame.CompleteFlag(c, "feature", frame.AfterArgs(frame.FeatureIDs(env)))
	f.StringArrayVar(&in.Files, "file", nil, "a `file` that the note is about (repeatable)")
	f.StringArrayVar(&in.Commits, "commit", nil, "a `commit` that the note summarises (repeatable; default: the current one)")
	f.StringArrayVar(&in.Tags, "tag", nil, "a `word` by which you find the note (repeatable)")
	f.StringArrayVar(&constraints, "constraint", nil, "a `rule` that the change still keeps, such as \"no new dependency\" (repeatable)")
	f.StringArrayVar(&validation, "validation", nil, "the `command` that verified the work (repeatable)")
	f.StringArrayVar(&deadEnds, "dead-end", nil, "`what` was tried and did not work (repeatable)")
	return c
}

// bullets makes a list of several values.
func bullets(values []string) string {
	lines := make([]string, len(values))
	for i, v := range values {
		lines[i] = "- " + strings.Join(strings.Fields(v), " ")
	}
	return strings.Join(lines, "\n")
}
