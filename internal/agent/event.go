package agent

import (
	"bytes"
	"encoding/json"
	"path"
	"strings"
	"time"

	"kedge/internal/watch"
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

// Bounds of what is kept of one event.
const (
	maxText         = 64 << 10
	maxPaths        = 1000
	maxConversation = 200
)

// parseEvent reads the JSON of one event; false when it is none. A figure that
// cannot be true makes it none: usage decides about money.
func parseEvent(b []byte) (watch.Event, bool) {
	var s said
	if json.Unmarshal(b, &s) != nil {
		return watch.Event{}, false
	}
	ev := watch.Event{Kind: s.Type}
	switch s.Type {
	case watch.Usage:
		used, ok := s.used()
		ev.Used = used
		return ev, ok
	case watch.Ask, watch.Question:
		ev.Text = cut(first(s.Question, s.Text), maxText)
		return ev, ev.Text != ""
	case watch.PlanText:
		ev.Text = first(s.Markdown, s.Text)
		return ev, ev.Text != ""
	case watch.Call:
		ev.ID, ev.Tool, ev.Input, ev.Paths = s.ID, s.Tool, cut(inputText(s.Input), maxText), cleanPaths(s.Paths)
	case watch.Talk:
		ev.ID = cut(s.ID, maxConversation)
		return ev, ev.ID != ""
	case watch.Result:
		ev.ID, ev.Output, ev.Failed = s.ID, cut(s.Output, maxText), s.Failed
	case watch.Limit:
		ev.Until, ev.Text = untilOf(s.Until), cut(s.Text, maxText)
	case watch.Say, watch.NoLogin, watch.Step, watch.Turn, watch.Compact:
		ev.Text = cut(s.Text, maxText)
	default:
		return watch.Event{}, false
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
	u.Model = cut(u.Model, 200)
	return &u, some || u.USD != nil
}

// inputText is a string as it is, anything else as compact JSON.
func inputText(raw json.RawMessage) string {
	var text string
	if len(raw) == 0 || json.Unmarshal(raw, &text) == nil {
		return text
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return ""
	}
	return b.String()
}

// untilOf reads a time as text or as seconds since 1970; zero when it is neither:
// the limit is there all the same.
func untilOf(raw json.RawMessage) time.Time {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return time.Time{}
		}
		return at
	}
	var seconds int64
	if json.Unmarshal(raw, &seconds) == nil && seconds > 0 && seconds < 1<<36 {
		return time.Unix(seconds, 0).UTC()
	}
	return time.Time{}
}

func cleanPaths(in []string) []string {
	var out []string
	for _, p := range in {
		if p = strings.TrimSpace(p); p != "" && len(out) < maxPaths {
			out = append(out, path.Clean(cut(p, 4096)))
		}
	}
	return out
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
