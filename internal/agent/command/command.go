// Package command drives any program: it reads the brief on its input, works in the
// folder it was started in, may print lines of the form KEDGE {json}, and ends. It
// owns that agreement and knows nothing else of the program: its end with 0 is the
// claim to be finished, and what it does not print is unknown.
package command

import (
	"slices"
	"strconv"
	"time"

	"kedge"
	"kedge/internal/agent"
	"kedge/internal/agent/talk"
	"kedge/internal/watch"
)

// Adapter is that of a program that keeps to it.
type Adapter struct{ argv []string }

// New is the adapter of the program and its arguments.
func New(argv []string) (*Adapter, error) {
	if len(argv) == 0 || argv[0] == "" {
		return nil, kedge.Errorf(kedge.Invalid, "an agent of kind \"command\" has no command").
			WithHint("command = [\"./bot.sh\"] in .kedge/config.toml")
	}
	return &Adapter{argv: slices.Clone(argv)}, nil
}

// Kind implements agent.Adapter.
func (c *Adapter) Kind() string { return "command" }

// Start implements agent.Adapter.
func (c *Adapter) Start(t agent.Task) (agent.Start, error) {
	s := agent.Start{
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

// Program implements agent.Adapter.
func (c *Adapter) Program() string { return c.argv[0] }

// Reader implements agent.Adapter.
func (c *Adapter) Reader(agent.Task) agent.Reader { return &reader{} }

// reader reads what a command prints. What it keeps is bounded: one line,
// one plan, and what the last events mean for the end.
type reader struct {
	talk.Stream

	asks    bool // and did nothing since
	limit   bool
	until   time.Time
	noLogin string

	conversation string
}

// Open implements agent.Reader: the brief as it is, and nothing after it.
func (r *reader) Open(brief []byte) agent.Input { return agent.Input{Text: brief, Close: true} }

// Say implements agent.Reader: a command reads nothing after its brief.
func (r *reader) Say(agent.Word) (agent.Input, bool) { return agent.Input{}, false }

// Feed implements agent.Reader.
func (r *reader) Feed(b []byte, at agent.Time) ([]watch.Event, agent.Input) {
	return r.Each(b, at, func(line []byte, long bool) ([]watch.Event, agent.Input) { return r.line(line, long), agent.Input{} })
}

// Asks implements agent.Reader. One that works again asks no more.
func (r *reader) Asks() bool { return r.asks }

func (r *reader) line(line []byte, long bool) []watch.Event {
	ev, ok, _ := r.Marked(line, long)
	if !ok {
		return nil
	}
	r.remember(ev)
	return []watch.Event{ev}
}

// remember keeps what decides about the end. Work after a limit or a failed
// login shows that it was overcome; a question stays one, because whoever asks
// ends.
func (r *reader) remember(ev watch.Event) {
	switch ev.Kind {
	case watch.Talk:
		r.conversation = ev.ID
	case watch.Ask:
		r.Asked, r.asks = ev.Text, true
	case watch.Limit:
		r.limit, r.until = true, ev.Until
	case watch.NoLogin:
		r.noLogin = talk.OneLine(ev.Text, "not logged in")
	case watch.Call, watch.Turn:
		r.limit, r.until, r.noLogin, r.asks = false, time.Time{}, "", false
	default:
	}
}

// Exit implements agent.Reader.
func (r *reader) Exit(code int, cause string) agent.Exit {
	e := r.exit(code, cause)
	e.Conversation = r.conversation
	return e
}

func (r *reader) exit(code int, cause string) agent.Exit {
	switch {
	case r.noLogin != "":
		return agent.Exit{Meaning: agent.NoLogin, Text: r.noLogin}
	case r.limit:
		return agent.Exit{Meaning: agent.Limited, Text: "the provider's limit", Until: r.until}
	case code == 0 && r.Asked != "":
		return agent.Exit{Meaning: agent.Asked, Text: r.Asked}
	case code == 0:
		return agent.Exit{Meaning: agent.Finished}
	default:
		return agent.Exit{Meaning: agent.Failed, Text: talk.EndText(code, cause, "")}
	}
}
