package codex

import (
	"encoding/json"
	"maps"
	"slices"

	"kedge/internal/agents/stream"
)

// message is a line of the app server: an answer (ID and Result or Error), a
// request (ID and Method) or a notice (Method).
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params params          `json:"params"`
	Result struct {
		Thread struct {
			ID    string `json:"id"`
			CWD   string `json:"cwd"`
			Model string `json:"model"`
		} `json:"thread"`
		Model     string `json:"model"`
		UserAgent string `json:"userAgent"`
	} `json:"result"`
	Error *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// params is as much as is read of the parameters of any method.
type params struct {
	Thread string   `json:"threadId"`
	Turn   turnEnd  `json:"turn"`
	Item   item     `json:"item"`
	Error  *failure `json:"error"`
	Again  bool     `json:"willRetry"` // of an error
	Usage  struct {
		Total  tokens `json:"total"`
		Last   tokens `json:"last"`
		Window int64  `json:"modelContextWindow"`
	} `json:"tokenUsage"`
	Rates struct {
		Primary   window `json:"primary"`
		Secondary window `json:"secondary"`
	} `json:"rateLimits"`
	ItemID    string           `json:"itemId"`
	Questions stream.Questions `json:"questions"`
	Meta      struct {
		Approval string `json:"codex_approval_kind"`
	} `json:"_meta"`
}

// window is one of the provider's limits.
type window struct {
	Percent int64           `json:"usedPercent"`
	Resets  json.RawMessage `json:"resetsAt"`
}

type failure struct {
	Message string          `json:"message"`
	Details string          `json:"additionalDetails"`
	Info    json.RawMessage `json:"codexErrorInfo"`
}

// name is what kind of error it is, with the status of HTTP where it has one; of
// several the first by name, so that everybody who reads it says the same.
func (e *failure) name() (string, int) {
	if e == nil {
		return "", 0
	}
	var name string
	if json.Unmarshal(e.Info, &name) == nil {
		return name, 0
	}
	var of map[string]struct {
		Status int `json:"httpStatusCode"`
	}
	_ = json.Unmarshal(e.Info, &of) // of another form: it has no name
	names := slices.Sorted(maps.Keys(of))
	if len(names) == 0 {
		return "", 0
	}
	return names[0], of[names[0]].Status
}

// tokens counts; Input is with what was read from a cache.
type tokens struct {
	Input      int64 `json:"inputTokens"`
	CacheRead  int64 `json:"cachedInputTokens"`
	CacheWrite int64 `json:"cacheWriteInputTokens"`
	Output     int64 `json:"outputTokens"`
	All        int64 `json:"totalTokens"`
}

type item struct {
	Type    string `json:"type"`
	ID      string `json:"id"`
	Status  string `json:"status"`
	Text    string `json:"text"`
	Command string `json:"command"`
	Output  string `json:"aggregatedOutput"`
	Exit    int    `json:"exitCode"`
	Changes []struct {
		Path string `json:"path"`
	} `json:"changes"`
	Server string          `json:"server"`
	Tool   string          `json:"tool"`
	Args   json.RawMessage `json:"arguments"`
	Result json.RawMessage `json:"result"`
}

// turnEnd is a turn as a notice names it.
type turnEnd struct {
	ID     string   `json:"id"`
	Status string   `json:"status"`
	Error  *failure `json:"error"`
}

// why is what is said of a turn that did not complete.
func (t turnEnd) why() string {
	if t.Error != nil && t.Error.Message != "" {
		return t.Error.Message
	}
	return "its turn is " + t.Status
}
