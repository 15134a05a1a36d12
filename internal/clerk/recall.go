package clerk

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"kedge"
	"kedge/internal/project"
	"kedge/internal/store"
)

// RecallRequest searches memory by a person's words.
type RecallRequest struct {
	Query string `json:"query"`
	Limit int    `json:"limit,omitempty"`
}

// RecallReply lists what was found, best first.
type RecallReply struct {
	Hits []RecallHit `json:"hits"`
}

// RecallHit is one thing that was found. At is when it was written down; nil
// where nothing says so. State is where a decision, a risk or a feature stands:
// what is superseded, withdrawn, closed or skipped is history.
type RecallHit struct {
	Kind    store.Kind `json:"kind"`
	ID      string     `json:"id"`
	Title   string     `json:"title"`
	State   string     `json:"state,omitempty"`
	Snippet string     `json:"snippet"`
	At      *time.Time `json:"at"`
}

// Recall searches notes, decisions, risks, features and checkpoints.
func (s *Clerk) Recall(ctx context.Context, who project.Caller, in RecallRequest) (RecallReply, error) {
	if in.Limit < 0 {
		return RecallReply{}, kedge.Errorf(kedge.Invalid, "a limit of %d hits is none", in.Limit).WithHint("kedge recall WORDS --limit 20")
	}
	if strings.TrimSpace(in.Query) == "" {
		return RecallReply{}, kedge.Errorf(kedge.Invalid, "nothing to search for").WithHint("kedge recall WORDS")
	}
	p, err := s.home.Open(ctx, who)
	if err != nil {
		return RecallReply{}, err
	}
	hits, err := p.Store.Search(ctx, in.Query, in.Limit)
	if err != nil {
		return RecallReply{}, err
	}
	r := RecallReply{Hits: []RecallHit{}}
	for _, h := range hits {
		hit, err := found(ctx, p, h)
		if err != nil {
			return RecallReply{}, err
		}
		r.Hits = append(r.Hits, hit)
	}
	return r, nil
}

// found is a hit with what its document says beyond the words: when it was
// written down, and whether it still holds.
func found(ctx context.Context, p *project.Project, h store.Hit) (RecallHit, error) {
	hit := RecallHit{Kind: h.Kind, ID: h.ID, Title: h.Title, Snippet: snippet(h.Title, h.Excerpt)}
	doc, ok, err := store.Get[struct {
		Status      json.RawMessage `json:"status"`      // decisions, features; a checkpoint's is a list
		Withdrawn   string          `json:"withdrawn"`   // decisions
		ClosedAt    *time.Time      `json:"closed_at"`   // risks
		Date        *time.Time      `json:"date"`        // decisions, notes
		OpenedAt    *time.Time      `json:"opened_at"`   // risks
		At          *time.Time      `json:"at"`          // checkpoints
		CompletedAt *time.Time      `json:"completedAt"` // features
	}](ctx, p.Store, h.Kind, h.ID)
	if err != nil || !ok {
		return hit, err
	}
	switch {
	case doc.Withdrawn != "":
		hit.State = "withdrawn"
	case doc.ClosedAt != nil:
		hit.State = "closed"
	case doc.OpenedAt != nil:
		hit.State = "open"
	default:
		_ = json.Unmarshal(doc.Status, &hit.State) // none, or a list: no state
	}
	for _, t := range []*time.Time{doc.Date, doc.OpenedAt, doc.At, doc.CompletedAt} {
		if t != nil && hit.At == nil {
			hit.At = t
		}
	}
	return hit, nil
}

// snippet is what an excerpt says beyond the title, which stands above it, and
// without names of commits: they find a note, and tell a reader nothing.
func snippet(title, excerpt string) string {
	words := slices.DeleteFunc(strings.Fields(excerpt), func(w string) bool {
		w = strings.Trim(w, "…")
		return (len(w) == 40 || len(w) == 64) && strings.Trim(w, "0123456789abcdef") == ""
	})
	s := strings.Join(words, " ")
	s = strings.TrimPrefix(s, strings.TrimSuffix(title, "…"))
	s = strings.TrimLeft(s, " .:;,")
	if strings.Trim(s, "… ") == "" || strings.Contains(title, s) {
		return ""
	}
	return s
}
