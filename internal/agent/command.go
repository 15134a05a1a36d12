package agent

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"kedge"
	"kedge/internal/watch"
)

// Command drives any program: it reads the brief on its input, works in the
// folder it was started in, may print lines of the form KEDGE {json}, and ends.
// Its end with 0 is the claim to be finished.
type Command struct{ argv []string }

// NewCommand is the adapter of the program and its arguments.
func NewCommand(argv []string) (*Command, error) {
	if len(argv) == 0 || argv[0] == "" {
		return nil, kedge.Errorf(kedge.Invalid, "an agent of kind \"command\" has no command").
			WithHint("command = [\"./bot.sh\"] in .kedge/config.toml")
	}
	return &Command{argv: slices.Clone(argv)}, nil
}

// Kind implements Adapter.
func (c *Command) Kind() string { return "command" }

// Start implements Adapter.
func (c *Command) Start(t Task) (Start, error) {
	s := Start{
		Command: slices.Clone(c.argv),
		Env: []string{
			"KEDGE_BRIEF=" + t.Brief,
			"KEDGE_SESSION=" + string(t.Session),
			"KEDGE_RUN=" + string(t.Run),
			"KEDGE_FEATURE=" + string(t.Feature),
			"KEDGE_ATTEMPT=" + strconv.Itoa(t.Attempt),
			"KEDGE_PURPOSE=" + t.Purpose,
			"KEDGE_NUMBER=" + strconv.Itoa(t.Number),
			"KEDGE_MODEL=" + t.Model,
		},
		Pipes: true,
	}
	if t.ReadOnly {
		s.Env = append(s.Env, "KEDGE_READ_ONLY=1")
	}
	if t.Resume != "" {
		s.Env = append(s.Env, "KEDGE_RESUME="+t.Resume)
	}
	return s, nil
}

// Program implements Adapter.
func (c *Command) Program() string { return c.argv[0] }

// Reader implements Adapter.
func (c *Command) Reader(Task) Reader { return &commandReader{} }

// commandReader reads what a command prints. What it keeps is bounded: one line,
// one plan, and what the last events mean for the end.
type commandReader struct {
	lines  lines
	broken int
	spoken spoken

	asked   string
	asks    bool // and did nothing since
	limit   bool
	until   time.Time
	noLogin string

	conversation string
}

// Open implements Reader: the brief as it is, and nothing after it.
func (r *commandReader) Open(brief []byte) Input { return Input{Text: brief, Close: true} }

// Say implements Reader: a command reads nothing after its brief.
func (r *commandReader) Say(Word) (Input, bool) { return Input{}, false }

// Feed implements Reader.
func (r *commandReader) Feed(b []byte, at Time) ([]watch.Event, Input) {
	var out []watch.Event
	r.lines.feed(b, func(line []byte, long bool) {
		ev, ok := r.line(line, long)
		if ok {
			ev.At = at
			out = append(out, ev)
		}
	})
	return out, Input{}
}

// Asks implements Reader. One that works again asks no more.
func (r *commandReader) Asks() bool { return r.asks }

// Broken implements Reader.
func (r *commandReader) Broken() int { return r.broken }

func (r *commandReader) line(line []byte, long bool) (watch.Event, bool) {
	if long {
		r.broken++
		return watch.Event{}, false
	}
	ev, ok, broken := r.spoken.line(line)
	if broken {
		r.broken++
	}
	if ok {
		r.remember(ev)
	}
	return ev, ok
}

// remember keeps what decides about the end. Work after a limit or a failed
// login shows that it was overcome; a question stays one, because whoever asks
// ends.
func (r *commandReader) remember(ev watch.Event) {
	switch ev.Kind {
	case watch.Talk:
		r.conversation = ev.ID
	case watch.Ask:
		r.asked, r.asks = ev.Text, true
	case watch.Limit:
		r.limit, r.until = true, ev.Until
	case watch.NoLogin:
		r.noLogin = oneLine(ev.Text, "not logged in")
	case watch.Call, watch.Turn:
		r.limit, r.until, r.noLogin, r.asks = false, time.Time{}, "", false
	default:
	}
}

// Exit implements Reader.
func (r *commandReader) Exit(code int, cause string) Exit {
	e := r.exit(code, cause)
	e.Conversation = r.conversation
	return e
}

func (r *commandReader) exit(code int, cause string) Exit {
	switch {
	case r.noLogin != "":
		return Exit{Meaning: NoLogin, Text: r.noLogin}
	case r.limit:
		return Exit{Meaning: Limited, Text: "the provider's limit", Until: r.until}
	case code == 0 && r.asked != "":
		return Exit{Meaning: Asked, Text: r.asked}
	case code == 0:
		return Exit{Meaning: Finished}
	case cause != "" && cause != "exited":
		return Exit{Meaning: Failed, Text: "it ended with " + strconv.Itoa(code) + " (" + cause + ")"}
	default:
		return Exit{Meaning: Failed, Text: "it ended with exit code " + strconv.Itoa(code)}
	}
}

// oneLine is the first line of a text that says something, bounded.
func oneLine(text, otherwise string) string {
	const most = 200
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return cut(line, most)
		}
	}
	return otherwise
}

// cut shortens a text to at most n bytes of whole characters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}
