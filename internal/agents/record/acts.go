package record

import (
	"time"

	"kedge/internal/agents"
	"kedge/internal/agents/stream"
	"kedge/internal/core/watch"
	"kedge/internal/insight/audit"
)

// Acts turns the entries of a transcript into what the session did, as package watch
// takes it. A zero Acts begins at the first entry.
type Acts struct {
	at     time.Time   // of the last entry that had a time
	reply  string      // the last one
	used   audit.Usage // what the last reply was said to have used so far
	window int64       // of the model, as far as it was told
}

// Take gives what an entry tells. Entries without a time have that of the one before.
func (a *Acts) Take(e *audit.Entry) []watch.Act {
	if at, err := time.Parse(time.RFC3339, e.At); err == nil {
		a.at = at
	}
	out := a.acts(e)
	for i := range out {
		out[i].At = a.at
	}
	return out
}

func (a *Acts) acts(e *audit.Entry) []watch.Act {
	switch e.Kind {
	case audit.Reply:
		if e.Nested { // it fills no context of this session, and ends no turn
			return nil
		}
		return a.replied(e)
	case audit.ToolCall:
		return []watch.Act{called(e)}
	case audit.ToolResult:
		return []watch.Act{{Kind: watch.Result, ID: e.Call, Output: e.Text, Failed: e.Failed}}
	case audit.AssistantText:
		return []watch.Act{{Kind: watch.Say, Text: e.Text}}
	case audit.UserText:
		if !e.Rules && !e.Summary {
			return []watch.Act{{Kind: watch.Told}}
		}
	case audit.Refused:
		if (stream.Failure{Text: e.Text}).Meaning() == agents.Limited {
			return []watch.Act{{Kind: watch.Limit, Text: stream.OneLine(e.Text, ""), Until: stream.LimitEnd(e.Text, a.at)}}
		}
	case audit.Compaction:
		return []watch.Act{{Kind: watch.Compact}}
	default:
	}
	return nil
}

// called is a call. What it edits is not asked about: that it edits is.
func called(e *audit.Entry) watch.Act {
	act := watch.Act{Kind: watch.Call, ID: e.Call, Tool: e.Tool, Input: e.Text}
	switch e.Act {
	case audit.Shell:
		act.Input = e.Command
	case audit.Edit:
		act.Paths = []string{e.Path}
	default:
	}
	return act
}

// replied is a reply of the model, which ends its turn; one that is told again, by a
// program that writes it down as it comes, adds what it used since.
func (a *Acts) replied(e *audit.Entry) []watch.Act {
	news := e.Reply == "" || e.Reply != a.reply
	if news {
		a.reply, a.used = e.Reply, audit.Usage{}
	}
	var out []watch.Act
	if u := a.usage(e); u != nil {
		out = append(out, watch.Act{Kind: watch.Usage, Used: u})
	}
	if news {
		out = append(out, watch.Act{Kind: watch.Turn})
	}
	return out
}

// usage is what a reply says that is new; nil for nothing.
func (a *Acts) usage(e *audit.Entry) *watch.Used {
	window := max(e.Window, a.window)
	if e.Usage == nil || *e.Usage == a.used && window == a.window {
		return nil
	}
	more, full := e.Usage.Minus(a.used), e.Usage.Context()
	a.used, a.window = *e.Usage, window
	u := &watch.Used{Input: &more.Input, CacheRead: &more.CacheRead, CacheWrite: &more.CacheWrite, Output: &more.Output, Model: e.Model}
	if more.Hour > 0 {
		u.CacheWriteHour = &more.Hour
	}
	if full > 0 {
		u.Context = &full
	}
	if window > 0 {
		u.Window = &window
	}
	return u
}
