package transcript

import (
	"context"
	"time"

	"kedge/internal/insight/audit"
)

// Spent is what replies used, by what a program wrote down.
type Spent struct {
	Replies int
	Sum     audit.Usage
	Last    audit.Usage // of the last one
	Model   string
}

// SpentSince reads what the replies of one session used from a moment on, for
// programs that write a reply down before they tell of it: of one that was killed
// this is all there is. Nothing for every other program, and for a session that
// left nothing. id is a plain name.
func (all Formats) SpentSince(ctx context.Context, w Where, id string, since time.Time) (Spent, error) {
	var out Spent
	early := all.of(w.Agent).Early
	if early == nil || id == "" {
		return out, nil
	}
	from := Stamp(since.UTC().Format(time.RFC3339Nano))
	var order []string
	replies := map[string]audit.Entry{}
	earlier := map[string]bool{}
	for _, f := range early(w, id) {
		_, err := all.ReadFile(ctx, f, Options{}, func(e *audit.Entry) {
			if e.Kind != audit.Reply || e.Usage == nil || earlier[e.Reply] {
				return
			}
			if _, known := replies[e.Reply]; !known && e.At < from {
				earlier[e.Reply] = true // a program may tell of it again when it goes on
				return
			}
			if _, known := replies[e.Reply]; !known {
				order = append(order, e.Reply)
			}
			replies[e.Reply] = *e
		})
		if err != nil {
			return Spent{}, err
		}
	}
	for _, reply := range order {
		e := replies[reply]
		out.Replies++
		out.Last, out.Model = *e.Usage, First(e.Model, out.Model)
		out.Sum = out.Sum.Plus(out.Last)
	}
	return out, nil
}
