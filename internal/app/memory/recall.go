package memory

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/journal"
)

// RecallRequest searches memory for words.
type RecallRequest struct {
	Query string `json:"query"`
	Limit int    `json:"limit,omitempty"`
}

// RecallReply lists what was found, best first.
type RecallReply struct {
	Hits []RecallHit `json:"hits"`
}

// RecallHit is one thing that was found. At is when it was recorded, or nil. State is
// the state of a decision, risk or feature: superseded, withdrawn, closed and skipped
// ones are history. Like is how many older hits say the same and are left out.
type RecallHit struct {
	Kind    journal.Kind `json:"kind"`
	ID      string       `json:"id"`
	Title   string       `json:"title"`
	State   string       `json:"state,omitempty"`
	Snippet string       `json:"snippet"`
	At      *time.Time   `json:"at"`
	Like    int          `json:"like,omitempty"`
}

// Searches look at more hits than they show: what says the same is shown once.
const (
	shownHits  = 20
	lookedHits = 1000
)

// Recall searches notes, decisions, risks, features and checkpoints.
func (s *Memory) Recall(ctx context.Context, who projects.Caller, in RecallRequest) (RecallReply, error) {
	if in.Limit < 0 {
		return RecallReply{}, kedge.Errorf(kedge.Invalid, "--limit must be at least 1, not %d", in.Limit).WithHint("repeat your search with: kedge recall WORDS --limit 20")
	}
	if strings.TrimSpace(in.Query) == "" {
		return RecallReply{}, kedge.Errorf(kedge.Invalid, "you gave no words to search for").WithHint("name the words: kedge recall WORDS")
	}
	p, err := s.home.Open(ctx, who)
	if err != nil {
		return RecallReply{}, err
	}
	if in.Limit == 0 {
		in.Limit = shownHits
	}
	hits, err := p.Store.Search(ctx, in.Query, max(lookedHits, in.Limit))
	if err != nil {
		return RecallReply{}, err
	}
	r := RecallReply{Hits: []RecallHit{}}
	for _, f := range foldedHits(hits, in.Query) {
		if len(r.Hits) == in.Limit {
			break
		}
		hit, err := found(ctx, p, f.Hit)
		if err != nil {
			return RecallReply{}, err
		}
		hit.Like = f.like
		r.Hits = append(r.Hits, hit)
	}
	return r, nil
}

// foldedHit is a hit that stands for others.
type foldedHit struct {
	journal.Hit
	like int // others
}

// foldedHits shows hits that say the same once, as the newest of them, at the place
// of the best. Every checkpoint repeats the whole plan: those of one task say the
// same, and so do all that have the words in the plan alone; of the checkpoints that
// are left the newest comes first. Ids begin with their time.
func foldedHits(hits []journal.Hit, query string) []foldedHit {
	var out []foldedHit
	place := map[string]int{}
	for _, h := range hits {
		key := string(h.Kind) + "\n" + h.Title + "\n" + h.Excerpt
		if h.Kind == journal.KindCheckpoint {
			key = string(h.Kind) + "\n" + taskNamed(h.Title, query)
		}
		i, ok := place[key]
		if !ok {
			place[key] = len(out)
			out = append(out, foldedHit{Hit: h})
			continue
		}
		out[i].like++
		if h.ID > out[i].ID {
			out[i].Hit = h
		}
	}
	newestFirst(out)
	return out
}

// taskNamed gives a checkpoint's task where one of the words stands in it, else
// nothing.
func taskNamed(task, query string) string {
	low := strings.ToLower(task)
	for _, w := range strings.Fields(strings.ToLower(query)) {
		if strings.Contains(low, w) {
			return task
		}
	}
	return ""
}

// newestFirst orders the checkpoints among the places that checkpoints have.
func newestFirst(list []foldedHit) {
	var places []int
	var found []foldedHit
	for i, h := range list {
		if h.Kind == journal.KindCheckpoint {
			places, found = append(places, i), append(found, h)
		}
	}
	slices.SortStableFunc(found, func(a, b foldedHit) int { return strings.Compare(b.ID, a.ID) })
	for i, at := range places {
		list[at] = found[i]
	}
}

// found is a hit with what its document says beyond the words: when it was
// written down, and whether it still holds.
func found(ctx context.Context, p *projects.Project, h journal.Hit) (RecallHit, error) {
	hit := RecallHit{Kind: h.Kind, ID: h.ID, Title: h.Title, Snippet: snippet(h.Title, h.Excerpt)}
	doc, ok, err := journal.Get[struct {
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
