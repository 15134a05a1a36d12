package pi

import (
	"encoding/json"
	"strings"
)

// record is as much of a line of Pi as is read here: an answer ("response") or an
// event.
type record struct {
	Type    string `json:"type"`
	ID      string `json:"id"`
	Command string `json:"command"`
	Success bool   `json:"success"`
	Error   string `json:"error"`
	Method  string `json:"method"` // of what an extension asks
	Data    struct {
		Session  string `json:"sessionId"`
		Streams  bool   `json:"isStreaming"`
		Compacts bool   `json:"isCompacting"`
		Model    struct {
			Window int64 `json:"contextWindow"`
		} `json:"model"`
	} `json:"data"`

	Message message `json:"message"`

	Call   string          `json:"toolCallId"`
	Tool   string          `json:"toolName"`
	Args   json.RawMessage `json:"args"`
	Result content         `json:"result"`
	Failed bool            `json:"isError"`

	Reason  string  `json:"reason"` // of a compaction
	Aborted bool    `json:"aborted"`
	Again   bool    `json:"willRetry"`
	DelayMS float64 `json:"delayMs"` // of a retry
	Why     string  `json:"errorMessage"`
}

type message struct {
	content
	Role  string `json:"role"`
	Model string `json:"model"`
	Stop  string `json:"stopReason"`
	Error string `json:"errorMessage"`
	Usage usage  `json:"usage"`
}

// usage are the figures of one reply; Input is without what a cache had.
type usage struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
	Cost       struct {
		Total float64 `json:"total"`
	} `json:"cost"`
}

func (u usage) all() int64 { return u.Input + u.CacheRead + u.CacheWrite + u.Output }

// content is what was said: a text, or parts of which some are texts.
type content struct {
	Content json.RawMessage `json:"content"`
}

func (c content) text() string {
	var text string
	if json.Unmarshal(c.Content, &text) == nil {
		return text
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	_ = json.Unmarshal(c.Content, &parts) // of another form: it has no text
	var all []string
	for _, p := range parts {
		if p.Type == "text" && p.Text != "" {
			all = append(all, p.Text)
		}
	}
	return strings.Join(all, "\n")
}
