package sessions

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/app/reports"
	"kedge/internal/cli/frame"
	"kedge/internal/insight/history"
	"kedge/internal/text/plain"
	"kedge/internal/text/words"
)

// History is kedge history.
func History(env *frame.Env) *cobra.Command {
	var in reports.HistoryRequest
	c := &cobra.Command{
		Use:   "history WORDS…",
		Short: "Find past conversations, of any agent and any project",
		Long: `Search the past conversations of all agents on this machine, in every project,
for words. The command needs no set-up and no daemon, and sends nothing
anywhere.

Kedge searches what you wrote, what the agent wrote and thought, and the tool
calls with their commands, files and texts. A message must have every word.
Upper and lower case do not matter, and a word can be part of a longer one:
pool finds "Pools". Text in double quotes must appear exactly so.

Small words (the, where, we) and words such as decide and discuss in a question
need not be in the message. With --exact, a message must have every word. If no
message has all words, Kedge shows the messages with the rarest words, and
prints which words are missing.

The best conversation comes first. A message ranks higher if it has rare words,
if these are close together, if you or the agent wrote it, and if it is new.
Kedge shows only one of several conversations with the same passage.

The first search makes an index in $KEDGE_HOME/history, without secrets. Later
searches read only what changed. You can delete this folder at any time. The
index does not contain what tools printed and what edits wrote. --output
searches that too, in a second index, which takes several times the disk space
and the time.`,
		Example: `  kedge history where did we decide on per-file pools
  kedge history '"connection pool" timeout' --agent codex --since 30d
  kedge history migration --project shop --limit 3
  kedge history --exact 'func main(' --json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			in.Words, in.Env = strings.Join(args, " "), frame.Named(env.Environ, catalog.Transcripts().Variables())
			if err := frame.Positive(c, "limit", in.Limit, 1); err != nil {
				return err
			}
			out, err := historyCall(c.Context(), env, in)
			if err != nil {
				return err
			}
			if err := env.Show(out, func(w io.Writer) { historyText(w, env, out) }); err != nil {
				return err
			}
			historyTalk(env, in, out)
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	c.Flags().StringVar(&in.Agent, "agent", "", "only conversations with this `agent`")
	frame.CompleteFlag(c, "agent", frame.OneOf(catalog.Transcripts().Agents()...))
	c.Flags().StringVar(&in.Since, "since", "", "only messages after this `time`: an age (7d) or a date (2026-11-01)")
	c.Flags().StringVar(&in.Project, "project", "", "only conversations in this `folder`, or in any folder with this name")
	_ = c.MarkFlagDirname("project") // refuses only what is no flag
	c.Flags().IntVar(&in.Limit, "limit", 10, "show at most this `number` of conversations")
	c.Flags().BoolVar(&in.Output, "output", false, "also search what tools printed and what edits wrote")
	c.Flags().BoolVar(&in.Exact, "exact", false, "find only messages with every word, exactly as you wrote it")
	c.Flags().BoolVar(&in.Apart, "apart", false, "show every conversation, even if several have the same passage")
	return c
}

// historyCall shows a bar on a terminal while transcripts are read.
func historyCall(ctx context.Context, env *frame.Env, in reports.HistoryRequest) (out reports.HistoryReply, err error) {
	return out, awaited(ctx, env, "history", in, &out)
}

// awaited makes a call that may have to read transcripts first, and shows how far it is.
func awaited(ctx context.Context, env *frame.Env, call string, in, out any) error {
	if !env.Redraws() {
		return env.Call.Call(ctx, call, in, out, nil)
	}
	shown := false
	err := env.Call.Call(ctx, call, in, out, func(b json.RawMessage) {
		var p history.Progress
		if json.Unmarshal(b, &p) != nil || p.Total < slow && !p.Waits {
			return
		}
		shown = true
		if p.Waits {
			env.Running("waiting: another kedge command is reading the transcripts")
			return
		}
		env.Running(frame.ReadingBar(p.Files, p.Of, p.Bytes, p.Total))
	})
	if shown {
		env.Running("")
	}
	return err
}

// slow is how many bytes take long enough that somebody may wonder.
const slow = 32 << 20

// historyText is one paragraph for each conversation.
func historyText(w io.Writer, env *frame.Env, out reports.HistoryReply) {
	for _, u := range out.Unread {
		fmt.Fprintf(w, "not read: %s: %s\n", plain.Line(u.File), plain.Line(u.Why))
	}
	if len(out.Missing) > 0 && len(out.Found) > 0 {
		fmt.Fprintf(w, "no message has all of your words; these messages have all of them except: %s\n\n", plain.Line(strings.Join(out.Missing, ", ")))
	}
	for i, f := range out.Found {
		if i > 0 {
			fmt.Fprintln(w)
		}
		foundText(w, env, f)
	}
}

// foundText is what a conversation is, its best passages, and how it is read.
func foundText(w io.Writer, env *frame.Env, f reports.Conversation) {
	id := shortID(f.ID)
	best := f.Matches[0]
	head := []string{f.Agent, folderText(env, f.Folder), talkAge(best.At, f.Ended)}
	if f.Parent != "" {
		head[0] += " sub-agent"
	}
	frame.Put(w, frame.Name, plain.Line(id))
	frame.Put(w, frame.Quiet, "  "+plain.Line(strings.Join(nonEmpty(head), " · ")))
	fmt.Fprintln(w)
	if f.Title != "" {
		fmt.Fprintf(w, "  %s\n", limited(env, plain.Line(f.Title), 2))
	}
	for _, m := range f.Matches[:min(len(f.Matches), 1)] {
		passageText(w, env, m)
	}
	more := ""
	if n := len(f.Matches) - 1; n > 0 {
		more = fmt.Sprintf("   %d more in this conversation", n)
	}
	if f.Same > 0 {
		more += fmt.Sprintf("   the same in %s", frame.Counted(f.Same, "other conversation"))
	}
	step := kedge.Step("kedge", "show", id)
	if best.Line > 0 {
		step = kedge.Step("kedge", "show", id, "--at", fmt.Sprint(best.Line))
	}
	fmt.Fprint(w, "    "+frame.StepText(step))
	frame.Put(w, frame.Quiet, more)
	fmt.Fprintln(w)
}

// nonEmpty leaves out what is unknown.
func nonEmpty(list []string) []string {
	var out []string
	for _, s := range list {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

// idSize is how much of an id is shown: enough to tell any two apart.
const idSize = 8

// shortID is the beginning of an id. Ids that begin with the time would all look the same.
func shortID(id string) string {
	head, _, _ := strings.Cut(id, "-")
	if len(id) == len("00000000-0000-0000-0000-000000000000") && len(head) == idSize && id[14] == '4' {
		return head
	}
	return id
}

// folderText is a folder as people call it.
func folderText(env *frame.Env, dir string) string {
	if home := env.Getenv("HOME"); home != "" {
		if rel, err := filepath.Rel(home, dir); err == nil && filepath.IsLocal(rel) {
			return filepath.Join("~", rel)
		}
	}
	return dir
}

// talkAge is when something was said; else when the conversation ended.
func talkAge(at, ended *time.Time) string {
	if at == nil {
		at = ended
	}
	if at == nil {
		return ""
	}
	return words.Ago(time.Since(*at))
}

// limited cuts a line to the terminal, behind an indent.
func limited(env *frame.Env, line string, indent int) string {
	if cols := env.Width(); cols > 0 {
		return frame.CutTo(line, max(cols-indent, 20))
	}
	return line
}

// passageText is who said a passage, and the passage with its words marked.
func passageText(w io.Writer, env *frame.Env, m reports.Message) {
	const indent = "    "
	cols := env.Width()
	if cols == 0 {
		cols = 1 << 20
	}
	cols-- // a line that fills the terminal takes a second one on some
	frame.Put(w, frame.Quiet, indent+m.Who+": ")
	used := len(indent) + len(m.Who) + 2
	pos := 0
	for _, word := range strings.SplitAfter(m.Passage, " ") {
		size := frame.Cells(strings.TrimRight(word, " "))
		if used+size > cols && used > len(indent) {
			fmt.Fprint(w, "\n"+indent)
			used = len(indent)
		}
		markedText(w, word, pos, m.Marks)
		used += frame.Cells(word)
		pos += len(word)
	}
	fmt.Fprintln(w)
}

// markedText writes a part of a passage that begins at a place, with its marks bold.
func markedText(w io.Writer, text string, at int, marks [][2]int) {
	for _, m := range marks {
		from, to := max(m[0]-at, 0), min(m[1]-at, len(text))
		if from >= to {
			continue
		}
		fmt.Fprint(w, text[:from])
		frame.Put(w, frame.Name, text[from:to])
		text, at = text[to:], at+to
	}
	fmt.Fprint(w, text)
}

// historyTalk says what was searched, where nothing was found, and what else there is.
func historyTalk(env *frame.Env, in reports.HistoryRequest, out reports.HistoryReply) {
	switch {
	case out.Searched == 0 && (in.Agent != "" || in.Project != "" || in.Since != ""):
		env.Talk("no conversation matches your --since, --agent or --project; to search all conversations: %s", kedge.Step("kedge", "history", in.Words))
	case out.Searched == 0:
		env.Talk("Kedge found no transcript of any agent; it looked in:\n%s", strings.TrimRight(frame.TranscriptPlaces(""), "\n"))
	case len(out.Found) == 0:
		env.Talk("nothing found: no message in %s has these words: %s", frame.Counted(out.Searched, "conversation"), plain.Line(strings.Join(out.Words, ", ")))
	default:
		shown := len(out.Found)
		for _, f := range out.Found {
			shown += f.Same
		}
		if shown < out.Sessions {
			env.Talk("\nfound %s in %s; to show more of them, add: --limit N", frame.Counted(out.Messages, "message"), frame.Counted(out.Sessions, "conversation"))
		}
	}
	if out.Unkept != "" {
		env.Talk("Kedge could not save the index for later searches: %s", plain.Line(out.Unkept))
	}
}
