package usage

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/app/reports"
	"kedge/internal/cli/frame"
	"kedge/internal/insight/audit"
	"kedge/internal/insight/stats"
	"kedge/internal/text/plain"
	"kedge/internal/text/words"
)

// Hygiene is kedge hygiene.
func Hygiene(env *frame.Env) *cobra.Command {
	slow, large := 10*time.Second, int64(512)
	c := &cobra.Command{
		Use:   "hygiene",
		Short: "List what makes the repository hard to work in, with the evidence",
		Long: `List what makes the repository hard for agents to work in. Every finding names
the evidence that it comes from.

  flaky checks      checks that were both green and red on the same files in
                    the same environment (evidence: verdicts in the journal)
  slow checks       checks whose median run takes at least --slow, or that use
                    most of the time of all checks (evidence: the slowest
                    verdicts)
  context files     files that sessions read 3 times or more (evidence: the
                    transcripts of agents)
  untested source   source files that a feature changed without changing a
                    test; no test of the repository mentions the file or a
                    name that it declares (evidence: features, runs and
                    commits)
  large files       under version control, at least --large
  generated files   under version control, and made by a tool (evidence: name
                    or first lines, and the last commit)

The command only reads. It changes nothing and sends nothing anywhere.`,
		Example: "  kedge hygiene\n  kedge hygiene --slow 30s --large 2048\n  kedge hygiene --json",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if slow <= 0 {
				return kedge.Errorf(kedge.Invalid, "--slow must be a duration above 0, not %s", slow).WithHint("kedge hygiene --slow 30s")
			}
			if err := frame.Positive(c, "large", int(large), 512); err != nil {
				return err
			}
			in := reports.HygieneRequest{SlowMS: slow.Milliseconds(), Large: large << 10, Env: frame.Named(env.Environ, catalog.Transcripts().Variables())}
			return frame.Ask(c.Context(), env, "hygiene", in, frame.Folded(env, 4, hygieneText))
		},
	}
	c.Flags().DurationVar(&slow, "slow", slow, "list a check as slow if its median run takes at least this `time`")
	c.Flags().Int64Var(&large, "large", large, "list a file as large if it has at least this many `KiB`")
	return c
}

// hygieneText is one section for each kind of finding that there is.
func hygieneText(w io.Writer, out reports.HygieneReply) {
	l := out.Looked
	fmt.Fprintf(w, "looked at %s, %s, %s, %s\n", frame.Counted(l.Verdicts, "verdict"), frame.Counted(l.Transcripts, "transcript"),
		frame.Counted(l.Features, "completed feature"), frame.Counted(l.Files, "file"))
	found := section(w, "flaky checks", out.Flaky, flakyLine)
	found += section(w, "slow checks", out.Slow, slowLine)
	found += section(w, "files that fill contexts", out.Files, heavyLine)
	found += section(w, "source that features changed and no test covers", out.Untested, untestedLine)
	found += section(w, "large files under version control", out.Large, trackedLine)
	found += section(w, "generated files under version control", out.Generated, trackedLine)
	if found == 0 {
		fmt.Fprintln(w, "nothing found")
	}
	if l.Verdicts == 0 {
		fmt.Fprintln(w, "flaky and slow checks are unknown: no check has run yet; to run them: kedge gate")
	}
	if l.Transcripts == 0 {
		fmt.Fprintln(w, "what fills contexts is unknown: no transcript of this project was found")
	}
}

// shownFindings bounds a section; --json has all.
const shownFindings = 20

func section[T any](w io.Writer, title string, list []T, line func(T) string) int {
	if len(list) == 0 {
		return 0
	}
	fmt.Fprintf(w, "\n%s\n", title)
	for _, f := range list[:min(len(list), shownFindings)] {
		fmt.Fprintf(w, "  %s\n", plain.Line(line(f)))
	}
	if more := len(list) - shownFindings; more > 0 {
		fmt.Fprintf(w, "  and %d more; to see all: kedge hygiene --json\n", more)
	}
	return len(list)
}

func flakyLine(f stats.FlakyCheck) string {
	s := fmt.Sprintf("%s: %d of %s red", f.Name, f.Red, frame.Counted(f.Runs, "run"))
	for _, t := range f.Evidence[:min(len(f.Evidence), 3)] {
		s += fmt.Sprintf("; on the same files (git tree %s) the check was green in verdict %s and red in verdict %s", words.Hash(t.Tree), t.Green[0], t.Red[0])
	}
	return s
}

func slowLine(c stats.SlowCheck) string {
	return fmt.Sprintf("%s: median %s, longest %s, %d%% of the time of all checks; %s, the slowest in verdict %s", c.Name, frame.Seconds(c.MedianMS),
		frame.Seconds(c.MaxMS), int(c.Share*100+0.5), frame.Counted(c.Runs, "run"), c.Evidence[0])
}

func heavyLine(f audit.HeavyFile) string {
	var ids []string
	for _, e := range f.Evidence[:min(len(f.Evidence), 3)] {
		ids = append(ids, e.Agent+" "+e.ID)
	}
	return fmt.Sprintf("%s: %s (%d%% of all that agents read), read %d times in %s, such as %s", f.Path, frame.AboutTokens(f.Chars)+" tokens", int(f.Share*100+0.5),
		f.Reads, frame.Counted(f.Sessions, "session"), strings.Join(ids, ", "))
}

func untestedLine(u stats.Untested) string {
	var by []string
	for _, e := range u.Evidence[:min(len(u.Evidence), 3)] {
		by = append(by, fmt.Sprintf("feature %s (%s%s)", e.Feature, e.Run, commitText(e.Commit)))
	}
	return fmt.Sprintf("%s: %s changed by %s", u.Path, frame.Counted(u.Lines, "line"), strings.Join(by, ", "))
}

func trackedLine(f reports.TrackedFile) string {
	return fmt.Sprintf("%s: %s, %s%s", f.Path, f.Why, frame.Bytes(f.Bytes), commitText(f.Commit))
}

func commitText(sha string) string {
	if sha == "" {
		return ""
	}
	return ", commit " + words.Hash(sha)
}
