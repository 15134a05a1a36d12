package hooks

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"kedge"
)

// Status is what an agent tells for its status line; nil is unknown.
type Status struct {
	Native string
	Dir    string
	Model  string
	Tokens *int64 // in the context
	Window *int64
	USD    *float64

	Block *Block // the window of the provider's limit; nil is unknown, or none
}

// Block is what was used in the window of five hours that is not over.
type Block struct {
	USD *float64 // nil is unknown
	To  time.Time
}

// text is what a block cost so far, and when it ends.
func (b Block) text() string {
	spent := "unknown"
	if b.USD != nil {
		spent = fmt.Sprintf("%.2f", *b.USD)
	}
	return "block USD " + spent + " until " + b.To.Format("15:04")
}

// ParseStatus reads the input of a status line.
func ParseStatus(input []byte) (Status, error) {
	var w struct {
		Session string `json:"session_id"`
		Dir     string `json:"cwd"`
		Work    struct {
			Project string `json:"project_dir"` // where it was started
		} `json:"workspace"`
		Model struct {
			ID string `json:"id"`
		} `json:"model"`
		Cost struct {
			USD *float64 `json:"total_cost_usd"`
		} `json:"cost"`
		Context struct {
			Window *int64 `json:"context_window_size"`
			Now    *struct {
				Input int64 `json:"input_tokens"`
				Write int64 `json:"cache_creation_input_tokens"`
				Read  int64 `json:"cache_read_input_tokens"`
			} `json:"current_usage"`
		} `json:"context_window"`
	}
	if err := json.Unmarshal(input, &w); err != nil {
		return Status{}, kedge.Errorf(kedge.Invalid, "Kedge does not understand what the agent sent to kedge statusline: %w", err)
	}
	s := Status{Native: w.Session, Dir: w.Dir, Model: w.Model.ID, Window: w.Context.Window, USD: w.Cost.USD}
	if w.Work.Project != "" {
		s.Dir = w.Work.Project
	}
	if n := w.Context.Now; n != nil {
		all := n.Input + n.Write + n.Read
		s.Tokens = &all
	}
	return s, nil
}

// Text is Kedge's part of a status line: how full the context is, that it is to be
// compacted where it has so many tokens (0: none is too many), and what was spent, in the
// session and in the window of the provider's limit.
func (s Status) Text(compactFrom int64) string {
	var parts []string
	switch {
	case s.Tokens == nil:
		parts = append(parts, "context unknown")
	case s.Window == nil || *s.Window <= 0:
		parts = append(parts, "context "+thousands(*s.Tokens))
	default:
		parts = append(parts, fmt.Sprintf("context %d%% of %s", *s.Tokens*100 / *s.Window, thousands(*s.Window)))
	}
	if s.Tokens != nil && compactFrom > 0 && *s.Tokens >= compactFrom {
		parts[0] += " (/compact now)"
	}
	if s.USD != nil {
		parts = append(parts, fmt.Sprintf("USD %.2f", *s.USD))
	}
	if s.Block != nil {
		parts = append(parts, s.Block.text())
	}
	return "kedge: " + strings.Join(parts, ", ")
}

func thousands(n int64) string {
	if n < 10_000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%dk", n/1000)
}
