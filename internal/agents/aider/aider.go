// Package aider drives Aider: Aider gets one message on its input and prints text for
// people, in which figures from 1,000 tokens on are rounded. The package owns what Kedge
// knows of Aider. If Aider and the model can print the same line, the package does not
// count the line as Aider's. It follows the source of 0.86, and was tested with a
// stand-in only.
package aider

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"kedge/internal/agents"
	"kedge/internal/agents/stream"
	"kedge/internal/core/watch"
)

// Adapter is that of Aider.
type Adapter struct{ argv []string }

// New makes one; argv is the program with arguments of its own, empty where it is
// simply aider.
func New(argv []string) *Adapter { return &Adapter{argv: agents.Argv(argv, "aider")} }

// Kind implements agents.Adapter.
func (a *Adapter) Kind() string { return "aider" }

// Program implements agents.Adapter.
func (a *Adapter) Program() string { return a.argv[0] }

// Start implements agents.Adapter. It commits nothing, leaves .gitignore alone, keeps no
// chat of its own in the worktree, and runs no linter and no tests by itself: the
// gate does. The .env of the worktree it loads in any case (--env-file only names
// one more), so that what may stand there is for package trust to say.
func (a *Adapter) Start(t agents.Task) (agents.Start, error) {
	if len(t.Offer.Asked()) > 0 {
		return agents.Start{}, agents.CannotLimit(name, "any; this agent has no tools")
	}
	s := agents.Start{Command: slices.Clone(a.argv)}
	add := func(words ...string) { s.Command = append(s.Command, words...) }
	if t.Model != "" {
		add("--model", t.Model)
	}
	add("--no-auto-commits", "--no-dirty-commits", "--no-gitignore", "--no-check-update", "--no-show-release-notes", "--no-auto-lint", "--no-auto-test")
	if t.Attended {
		add("--read", t.Brief)
		return s, nil
	}
	add("--message-file", "/dev/stdin", "--yes-always", "--no-pretty", "--no-stream", "--no-fancy-input", "--no-detect-urls",
		"--chat-history-file", "/dev/null", "--input-history-file", "/dev/null")
	if t.ReadOnly {
		add("--chat-mode", "ask", "--dry-run")
	}
	s.Env = []string{"PYTHONUNBUFFERED=1"}
	s.Pipes = true
	return s, nil
}

// Reader implements agents.Adapter.
func (a *Adapter) Reader(t agents.Task) agents.Reader { return &reader{task: t} }

// reader reads the text that Aider prints. What it says and what the model
// says look alike; only lines that it alone prints are taken for its own.
type reader struct {
	stream.Stream
	task agents.Task

	version string
	model   string
	replies int
	edits   int
	rounded bool            // a reply had no exact figures: their sum would be wrong from there on
	usd     float64         // that was reported
	failed  *stream.Failure // since the last reply
}

// Open implements agents.Reader: the brief as it is, and nothing after it.
func (r *reader) Open(brief []byte) agents.Input { return agents.Input{Text: brief, Close: true} }

// Say implements agents.Reader: it reads nothing after its brief.
func (r *reader) Say(agents.Word) (agents.Input, bool) { return agents.Input{}, false }

// Asks implements agents.Reader.
func (r *reader) Asks() bool { return false }

// Feed implements agents.Reader.
func (r *reader) Feed(b []byte, at agents.Time) ([]watch.Act, agents.Input) {
	return r.Each(b, at, func(line []byte, long bool) ([]watch.Act, agents.Input) {
		return r.line(line, long, at), agents.Input{}
	})
}

func (r *reader) line(line []byte, long bool, at agents.Time) []watch.Act {
	if ev, ok, meant := r.Marked(line, long); meant {
		return r.said(ev, ok)
	}
	text := stream.Plain(line)
	for _, head := range []string{"Aider v", "Model: ", "Main model: "} {
		if rest, ok := strings.CutPrefix(text, head); ok {
			r.told(head, rest)
			return nil
		}
	}
	switch {
	case strings.HasPrefix(text, "Tokens: "):
		return r.used(strings.TrimPrefix(text, "Tokens: "))
	case strings.HasPrefix(text, "Cost: $"):
		return r.cost(text)
	case strings.HasPrefix(text, "Applied edit to "):
		return r.edited(strings.TrimPrefix(text, "Applied edit to "), text)
	case strings.HasPrefix(text, "Retrying in "):
		return r.retries(text, at)
	}
	r.error(text)
	r.Other = cmp.Or(text, r.Other)
	return nil
}

// said is a line that is meant for Kedge. What it did and used is known better
// than the model can tell.
func (r *reader) said(ev watch.Act, ok bool) []watch.Act {
	switch {
	case !ok:
		return nil
	case ev.Kind == watch.Ask:
		r.Asked = ev.Text
	case ev.Kind != watch.Question && ev.Kind != watch.PlanText && ev.Kind != watch.Step:
		return nil
	}
	return []watch.Act{ev}
}

// told is what it says of itself when it starts.
func (r *reader) told(head, rest string) {
	word, _, _ := strings.Cut(rest, " ")
	if head == "Aider v" {
		r.version = cmp.Or(r.version, word)
		return
	}
	r.model = cmp.Or(r.model, word)
}

// refusals are what it says when the provider refuses, as far as they have no
// word of their own.
var refusals = []string{
	"The API provider is not able to authenticate you", "The API provider has rate limited you", "The API provider's servers are down or overloaded",
	"The API provider timed out", "litellm.",
}

// error keeps what went wrong: it ends with 0 all the same.
func (r *reader) error(text string) {
	for _, head := range refusals {
		if !strings.HasPrefix(text, head) {
			continue
		}
		if r.failed == nil || !strings.HasPrefix(head, "litellm") {
			r.failed = &stream.Failure{Text: text}
		}
		return
	}
	if strings.HasPrefix(text, "Model ") && strings.HasSuffix(text, "has hit a token limit!") {
		r.failed = &stream.Failure{Text: text}
	}
}

// retries is a request that failed and is made again.
func (r *reader) retries(text string, at agents.Time) []watch.Act {
	if r.failed == nil {
		return nil
	}
	kind := watch.Retry
	if r.failed.Meaning() == agents.Limited {
		kind = watch.Limit
	}
	seconds, _, _ := strings.Cut(strings.TrimPrefix(text, "Retrying in "), " ")
	ev := watch.Act{Kind: kind, Text: stream.OneLine(r.failed.Text, "")}
	if n, err := strconv.ParseFloat(seconds, 64); err == nil && n > 0 && n < 1e6 {
		ev.Until = at.Add(time.Duration(n * float64(time.Second))).UTC()
	}
	return []watch.Act{ev}
}

// used is the end of a reply, with its figures: "812 sent, 210 received. Cost:
// $0.01 message, $0.02 session.". Those of 1,000 and more are rounded, and with a
// cache "sent" is not the same for all providers: these are unknown.
func (r *reader) used(text string) []watch.Act {
	r.replies++
	r.failed = nil
	sizes, cost, _ := strings.Cut(text, " Cost: ")
	u := &watch.Used{Model: r.model}
	sent, received, ok := exact(sizes)
	r.rounded = r.rounded || !ok
	if !r.rounded {
		var none int64
		all := sent + received
		u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Context = &sent, &received, &none, &none, &all
	}
	u.USD = r.spent(cost)
	turn := []watch.Act{{Kind: watch.Turn}}
	if u.Input == nil && u.USD == nil {
		return turn
	}
	return append(stream.Used(u), turn...)
}

// cost stands in a line of its own where a cache was written and read.
func (r *reader) cost(text string) []watch.Act {
	usd := r.spent(strings.TrimPrefix(text, "Cost: "))
	if usd == nil {
		return nil
	}
	return stream.Used(&watch.Used{USD: usd, Model: r.model})
}

// spent is what was spent since the last report: the session's sum is rounded
// once, its parts each.
func (r *reader) spent(cost string) *float64 {
	_, sum, _ := strings.Cut(cost, " message, $")
	amount, _, ok := strings.Cut(sum, " session")
	total, err := strconv.ParseFloat(amount, 64)
	if more := total >= r.usd && total <= 1e9; !ok || err != nil || !more { // also of what is no number
		return nil
	}
	usd := total - r.usd
	r.usd = total
	return &usd
}

// exact reads "812 sent, 210 received."; false where a figure is rounded, or
// there are others.
func exact(s string) (sent, received int64, ok bool) {
	a, b, two := strings.Cut(strings.TrimSuffix(strings.TrimSpace(s), "."), ", ")
	x, isSent := strings.CutSuffix(a, " sent")
	y, isReceived := strings.CutSuffix(b, " received")
	sent, err := strconv.ParseInt(x, 10, 64)
	received, err2 := strconv.ParseInt(y, 10, 64)
	return sent, received, two && isSent && isReceived && err == nil && err2 == nil && sent >= 0 && received >= 0
}

// edited is a file that it changed.
func (r *reader) edited(file, text string) []watch.Act {
	r.edits++
	id := "edit-" + strconv.Itoa(r.edits)
	call := watch.Act{Kind: watch.Call, ID: id, Tool: "edit", Input: stream.Cut(file)}
	if p, ok := stream.Inside(file, r.task.Dir); ok {
		call.Paths = []string{p}
	}
	return []watch.Act{call, {Kind: watch.Result, ID: id, Output: stream.Cut(text)}}
}

// Exit implements agents.Reader. It ends with 0 also when the provider refused for good.
func (r *reader) Exit(code int, cause string) agents.Exit {
	e := r.exit(code, cause)
	e.Version = r.version
	return e
}

func (r *reader) exit(code int, cause string) agents.Exit {
	switch {
	case r.failed != nil:
		return r.failed.Exit()
	case code == 0 && r.replies == 0:
		return agents.Exit{Meaning: agents.Failed, Text: "it ended without a reply of the model: " + stream.OneLine(r.Other, "no output")}
	case code == 0 && r.Asked != "":
		return agents.Exit{Meaning: agents.Asked, Text: r.Asked}
	case code == 0:
		return agents.Exit{Meaning: agents.Finished}
	default:
		return agents.Exit{Meaning: agents.Failed, Text: stream.EndText(code, cause, r.Other)}
	}
}
