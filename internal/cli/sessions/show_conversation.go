package sessions

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/app/reports"
	"kedge/internal/cli/frame"
	"kedge/internal/insight/history"
	"kedge/internal/process/atomicfile"
	"kedge/internal/text/plain"
	"kedge/internal/text/words"
)

// reading is how a past conversation is to be read.
type reading struct {
	at       int
	markdown bool
	html     string
}

func (r *reading) flags(c *cobra.Command) {
	c.Flags().IntVar(&r.at, "at", 0, "begin at this `line` of the conversation's transcript")
	c.Flags().BoolVar(&r.markdown, "markdown", false, "print the conversation as Markdown")
	c.Flags().StringVar(&r.html, "html", "", "write the conversation to this `file`, as a page for the browser; - is standard output")
	_ = c.MarkFlagFilename("html", "html") // refuses only what is no flag
}

func (r *reading) check(c *cobra.Command) error {
	if r.markdown && r.html != "" {
		return kedge.Errorf(kedge.Invalid, "--markdown and --html cannot be combined").WithHint("repeat your command with only one of them")
	}
	return frame.Positive(c, "at", r.at, 1)
}

// asked tells whether a conversation is meant, whatever Kedge knows of the session.
func (r *reading) asked() bool { return r.at > 0 || r.markdown || r.html != "" }

func (r *reading) show(ctx context.Context, env *frame.Env, what string) error {
	if err := frame.HTMLPlace(env, r.html, "kedge show "+what, "talk.html"); err != nil {
		return err
	}
	in := reports.ConversationRequest{What: what, Env: frame.Named(env.Environ, catalog.Transcripts().Variables())}
	var out reports.ConversationReply
	if err := awaited(ctx, env, "conversation", in, &out); err != nil {
		return err
	}
	title, about := cmp.Or(out.Title, "Conversation "+out.ID), aboutTalk(env, out)
	switch {
	case r.html != "":
		return r.page(env, out, history.HTML(title, strings.Join(about, " · "), from(out.Messages, r.at)))
	case r.markdown:
		return env.Show(out, func(w io.Writer) { fmt.Fprint(w, history.Markdown(title, about, from(out.Messages, r.at))) })
	case env.JSON:
		return env.Show(out, nil)
	}
	return inPager(env, func(w io.Writer) (at int) { return talkText(w, env, out, about, r.at) })
}

// page writes a page to its file, or prints it.
func (r *reading) page(env *frame.Env, out reports.ConversationReply, page []byte) error {
	if r.html == "-" {
		w := env.RawOut
		if w == nil {
			w = env.Out
		}
		_, err := w.Write(page)
		return err
	}
	path := frame.Abs(env.Dir, r.html)
	if err := atomicfile.Write(path, page, 0o600); err != nil {
		return err
	}
	if env.JSON {
		return env.Show(out, nil)
	}
	env.Talk("wrote %s", path)
	return nil
}

// from gives the messages from a line on; all where none stands there.
func from(list []history.Message, line int) []history.Message {
	for i := range list {
		if list[i].Line >= line {
			return list[i:]
		}
	}
	return list
}

// aboutTalk is what is known of a conversation, in phrases.
func aboutTalk(env *frame.Env, out reports.ConversationReply) []string {
	agent := out.Agent
	if out.Parent != "" {
		agent += ", sub-agent of " + shortID(out.Parent)
	}
	list := []string{agent + " " + out.ID, folderText(env, out.Folder)}
	if out.Began != nil && out.Ended != nil {
		began, ended := out.Began.UTC(), out.Ended.UTC()
		until := ended.Format("15:04")
		if began.Format("2006-01-02") != ended.Format("2006-01-02") {
			until = ended.Format("2006-01-02 15:04")
		}
		list = append(list, began.Format("2006-01-02 15:04")+" to "+until+" UTC")
	}
	list = append(list, frame.Counted(len(out.Messages), "message")+" and tool calls")
	if out.Skipped > 0 {
		list = append(list, frame.Counted(int(out.Skipped), "line")+" that Kedge does not understand")
	}
	return nonEmpty(append(list, "transcript: "+out.File))
}

// shownDiff is how many lines of an edit are shown.
const shownDiff = 24

// talkText writes a conversation, and says at which of its lines the message stands that is
// asked for.
func talkText(w io.Writer, env *frame.Env, out reports.ConversationReply, about []string, at int) (line int) {
	c := &lineCounter{w: w}
	frame.Put(w, frame.Name, plain.Line(cmp.Or(out.Title, out.ID)))
	c.add("\n")
	for _, a := range about {
		frame.Put(w, frame.Quiet, plain.Line(a))
		c.add("\n")
	}
	var who history.Who
	for i := range out.Messages {
		m := &out.Messages[i]
		if i == 0 || m.Who != who || m.Call == nil {
			c.add("\n")
		}
		if line == 0 && at > 0 && m.Line >= at {
			line = c.lines + 1
		}
		who = m.Who
		if m.Call != nil {
			callText(w, c, env, m)
			continue
		}
		messageText(w, c, env, m)
	}
	return line
}

// lineCounter counts the lines that it writes.
type lineCounter struct {
	w     io.Writer
	lines int
}

func (c *lineCounter) add(s string) {
	c.lines += strings.Count(s, "\n")
	_, _ = io.WriteString(c.w, s) // to memory
}

// roles are the colours of those who speak.
var roles = map[history.Who]frame.Role{history.You: frame.Waits, history.Agent: frame.Name}

func messageText(w io.Writer, c *lineCounter, env *frame.Env, m *history.Message) {
	if m.Compacted {
		frame.Put(w, frame.Quiet, "here the agent replaced its context with a summary")
		c.add("\n")
		return
	}
	role, known := roles[m.Who]
	if !known {
		role = frame.Quiet
	}
	frame.Put(w, role, m.Who.String())
	when := ""
	if !m.At.IsZero() {
		when = "  " + env.Clock(m.At)
	}
	frame.Put(w, frame.Quiet, fmt.Sprintf("%s  line %d", when, m.Line))
	c.add("\n")
	for l := range strings.SplitSeq(broken(env, strings.TrimSpace(plain.Text(m.Text))), "\n") {
		l = strings.TrimRight(l, " \t")
		if l != "" && role == frame.Quiet {
			frame.Put(w, frame.Quiet, "  "+l)
		} else if l != "" {
			c.add("  " + l)
		}
		c.add("\n")
	}
}

// broken breaks lines that are longer than the terminal between words. Lines of code, which
// are indented, stay as they are.
func broken(env *frame.Env, text string) string {
	const indent = 2
	width := env.Width() - indent
	if width < 20 {
		return text
	}
	var b strings.Builder
	for l := range strings.SplitSeq(text, "\n") {
		if frame.Cells(l) > width && !strings.HasPrefix(l, "    ") && !strings.HasPrefix(l, "\t") {
			l = strings.TrimRight(words.Wrap(l, width), "\n")
		}
		b.WriteString(l + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// callText is a tool call on one line, and below it what an edit changed.
func callText(w io.Writer, c *lineCounter, env *frame.Env, m *history.Message) {
	outcome := m.Call.Outcome()
	role := frame.Quiet
	if m.Call.Failed {
		role = frame.Failed
	}
	added, removed := m.Call.Changed()
	if added+removed > 0 {
		outcome = fmt.Sprintf("+%d -%d, %s", added, removed, outcome)
	}
	head := "  > " + plain.Line(m.Call.Tool) + "  "
	what := plain.Line(m.Call.What)
	if cols := env.Width(); cols > 0 {
		what = frame.CutTo(what, max(cols-frame.Cells(head)-frame.Cells(outcome)-2, 20))
	}
	c.add(head + what + "  ")
	frame.Put(w, role, outcome)
	c.add("\n")
	for i, l := range m.Call.Diff {
		if i == shownDiff {
			frame.Put(w, frame.Quiet, fmt.Sprintf("      … %s more", frame.Counted(len(m.Call.Diff)-i, "line")))
			c.add("\n")
			break
		}
		role := map[byte]frame.Role{'+': frame.Verified, '-': frame.Failed}[l.Kind]
		frame.Put(w, role, "      "+string(l.Kind)+" "+strings.ReplaceAll(plain.Line(l.Text), "\t", "    "))
		c.add("\n")
	}
}
