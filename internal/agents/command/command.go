// Package command drives any program: the program reads the brief on its input, works in
// the folder in which it was started, may print lines of the form KEDGE {json}, and ends.
// The package owns that contract and knows nothing else of the program. Exit code 0 means
// that the program says "done". What the program does not report is unknown.
package command

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"kedge"
	"kedge/internal/agents"
	"kedge/internal/agents/stream"
	"kedge/internal/core/watch"
)

// Adapter is that of a program that keeps to it.
type Adapter struct{ argv []string }

// New is the adapter of the program and its arguments.
func New(argv []string) (*Adapter, error) {
	if len(argv) == 0 || argv[0] == "" {
		return nil, kedge.Errorf(kedge.Invalid, "an agent of kind \"command\" in .kedge/config.toml has no command").
			WithHint("under that agent's [agents.NAME] in the file, add for example: command = [\"./bot.sh\"]")
	}
	return &Adapter{argv: slices.Clone(argv)}, nil
}

// Kind implements agents.Adapter.
func (c *Adapter) Kind() string { return "command" }

// Start implements agents.Adapter.
func (c *Adapter) Start(t agents.Task) (agents.Start, error) {
	s := agents.Start{
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
	for _, l := range []struct {
		asked bool
		name  string
		list  []string
	}{
		{t.Offer.Only != nil, "KEDGE_TOOLS", t.Offer.Only},
		{len(t.Offer.Without) > 0, "KEDGE_WITHOUT_TOOLS", t.Offer.Without},
		{t.Offer.Servers != nil, "KEDGE_MCP_SERVERS", t.Offer.Servers},
	} {
		if l.asked {
			s.Env = append(s.Env, l.name+"="+strings.Join(l.list, ","))
		}
	}
	if t.Resume != "" {
		s.Env = append(s.Env, "KEDGE_RESUME="+t.Resume)
	}
	return s, nil
}

// Program implements agents.Adapter.
func (c *Adapter) Program() string { return c.argv[0] }

// Reader implements agents.Adapter.
func (c *Adapter) Reader(agents.Task) agents.Reader { return &reader{} }

// reader reads what a command prints. What it keeps is bounded: one line,
// one plan, and what the last events mean for the end.
type reader struct {
	stream.Stream

	asks    bool // and did nothing since
	limit   bool
	until   time.Time
	noLogin string

	conversation string
}

// Open implements agents.Reader: the brief as it is, and nothing after it.
func (r *reader) Open(brief []byte) agents.Input { return agents.Input{Text: brief, Close: true} }

// Say implements agents.Reader: a command reads nothing after its brief.
func (r *reader) Say(agents.Word) (agents.Input, bool) { return agents.Input{}, false }

// Feed implements agents.Reader.
func (r *reader) Feed(b []byte, at agents.Time) ([]watch.Act, agents.Input) {
	return r.Each(b, at, func(line []byte, long bool) ([]watch.Act, agents.Input) { return r.line(line, long), agents.Input{} })
}

// Asks implements agents.Reader. One that works again asks no more.
func (r *reader) Asks() bool { return r.asks }

func (r *reader) line(line []byte, long bool) []watch.Act {
	ev, ok, _ := r.Marked(line, long)
	if !ok {
		return nil
	}
	r.remember(ev)
	return []watch.Act{ev}
}

// remember keeps what decides about the end. Work after a limit or a failed
// login shows that it was overcome; a question stays one, because whoever asks
// ends.
func (r *reader) remember(ev watch.Act) {
	switch ev.Kind {
	case watch.Talk:
		r.conversation = ev.ID
	case watch.Ask:
		r.Asked, r.asks = ev.Text, true
	case watch.Limit:
		r.limit, r.until = true, ev.Until
	case watch.NoLogin:
		r.noLogin = stream.OneLine(ev.Text, "not logged in")
	case watch.Call, watch.Turn:
		r.limit, r.until, r.noLogin, r.asks = false, time.Time{}, "", false
	default:
	}
}

// Exit implements agents.Reader.
func (r *reader) Exit(code int, cause string) agents.Exit {
	e := r.exit(code, cause)
	e.Conversation = r.conversation
	return e
}

func (r *reader) exit(code int, cause string) agents.Exit {
	switch {
	case r.noLogin != "":
		return agents.Exit{Meaning: agents.NoLogin, Text: r.noLogin}
	case r.limit:
		return agents.Exit{Meaning: agents.Limited, Text: "the provider's limit", Until: r.until}
	case code == 0 && r.Asked != "":
		return agents.Exit{Meaning: agents.Asked, Text: r.Asked}
	case code == 0:
		return agents.Exit{Meaning: agents.Finished}
	default:
		return agents.Exit{Meaning: agents.Failed, Text: stream.EndText(code, cause, "")}
	}
}
