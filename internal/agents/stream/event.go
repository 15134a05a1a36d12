package stream

import (
	"cmp"
	"encoding/json"
	"path"
	"strings"

	"kedge/internal/core/watch"
)

// said is one event as a command prints it. Keys that are not known here are
// passed over: a program may tell more than Kedge reads.
type said struct {
	Type     watch.Kind      `json:"type"`
	ID       string          `json:"id"`
	Text     string          `json:"text"`
	Question string          `json:"question"`
	Markdown string          `json:"markdown"`
	Tool     string          `json:"tool"`
	Input    json.RawMessage `json:"input"`
	Output   string          `json:"output"`
	Failed   bool            `json:"failed"`
	Paths    []string        `json:"paths"`
	Until    json.RawMessage `json:"until"`
	watch.Used
}

// parseEvent reads the JSON of one event; false when it is none. A figure that
// cannot be true makes it none: usage decides about money.
func parseEvent(b []byte) (watch.Act, bool) {
	var s said
	if json.Unmarshal(b, &s) != nil {
		return watch.Act{}, false
	}
	ev := watch.Act{Kind: s.Type}
	switch s.Type {
	case watch.Usage:
		used, ok := s.used()
		ev.Used = used
		return ev, ok
	case watch.Ask, watch.Question:
		ev.Text = Cut(cmp.Or(s.Question, s.Text))
		return ev, ev.Text != ""
	case watch.PlanText:
		ev.Text = cmp.Or(s.Markdown, s.Text)
		return ev, ev.Text != ""
	case watch.Call:
		ev.ID, ev.Tool, ev.Input, ev.Paths = s.ID, s.Tool, Cut(InputText(s.Input)), cleanPaths(s.Paths)
	case watch.Talk:
		ev.ID = Name(s.ID)
		return ev, ev.ID != ""
	case watch.Result:
		ev.ID, ev.Output, ev.Failed = s.ID, Cut(s.Output), s.Failed
	case watch.Limit, watch.Retry:
		ev.Until, ev.Text = Until(s.Until), Cut(s.Text)
	case watch.Say, watch.NoLogin, watch.Step, watch.Turn, watch.Compact:
		ev.Text = Cut(s.Text)
	default:
		return watch.Act{}, false
	}
	return ev, true
}

// used gives the figures; false when one cannot be true, or there is none.
func (s said) used() (*watch.Used, bool) {
	u := s.Used
	some := false
	for _, n := range []*int64{u.Input, u.CacheRead, u.CacheWrite, u.Output, u.Context, u.Window} {
		if n != nil && (*n < 0 || *n > 1<<50) {
			return nil, false
		}
		some = some || n != nil
	}
	if u.USD != nil && (*u.USD < 0 || *u.USD > 1e9) {
		return nil, false
	}
	u.Model = Name(u.Model)
	return &u, some || u.USD != nil
}

func cleanPaths(in []string) []string {
	var out []string
	for _, p := range in {
		if p = strings.TrimSpace(p); p != "" && len(out) < MaxPaths {
			out = append(out, path.Clean(cut(p, 4096)))
		}
	}
	return out
}
