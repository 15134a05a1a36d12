package service

import (
	"context"
	"strings"
	"time"

	"kedge"
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
// where nothing says so.
type RecallHit struct {
	Kind    store.Kind `json:"kind"`
	ID      string     `json:"id"`
	Title   string     `json:"title"`
	Snippet string     `json:"snippet"`
	At      *time.Time `json:"at"`
}

// Recall searches notes, decisions, risks, features and checkpoints.
func (s *Service) Recall(ctx context.Context, who Caller, in RecallRequest) (RecallReply, error) {
	if strings.TrimSpace(in.Query) == "" {
		return RecallReply{}, kedge.Errorf(kedge.Invalid, "nothing to search for").WithHint("kedge recall WORDS")
	}
	p, err := s.project(ctx, who)
	if err != nil {
		return RecallReply{}, err
	}
	hits, err := p.store.Search(ctx, in.Query, in.Limit)
	if err != nil {
		return RecallReply{}, err
	}
	r := RecallReply{Hits: []RecallHit{}}
	for _, h := range hits {
		at, err := p.when(ctx, h)
		if err != nil {
			return RecallReply{}, err
		}
		r.Hits = append(r.Hits, RecallHit{Kind: h.Kind, ID: h.ID, Title: h.Title, Snippet: h.Excerpt, At: at})
	}
	return r, nil
}

// when says when the thing that was found was written down.
func (p *project) when(ctx context.Context, h store.Hit) (*time.Time, error) {
	doc, ok, err := store.Get[struct {
		Date        *time.Time `json:"date"`        // decisions, notes
		OpenedAt    *time.Time `json:"opened_at"`   // risks
		At          *time.Time `json:"at"`          // checkpoints
		CompletedAt *time.Time `json:"completedAt"` // features
	}](ctx, p.store, h.Kind, h.ID)
	if err != nil || !ok {
		return nil, err
	}
	for _, t := range []*time.Time{doc.Date, doc.OpenedAt, doc.At, doc.CompletedAt} {
		if t != nil {
			return t, nil
		}
	}
	return nil, nil
}
