package memory

import (
	"fmt"
	"slices"
	"testing"

	"kedge/internal/journal"
)

// TestRecallShowsWhatIsEqualOnce: every checkpoint has the whole plan in it; one for
// each task that the words name, and one for all others, the newest.
func TestRecallShowsWhatIsEqualOnce(t *testing.T) {
	hit := func(kind journal.Kind, id, title, excerpt string) journal.Hit {
		return journal.Hit{Kind: kind, ID: id, Title: title, Excerpt: excerpt}
	}
	hits := []journal.Hit{
		hit(journal.KindCheckpoint, "ckp-02", "orders: Orders", "a"),
		hit(journal.KindNote, "not-01", "Orders are sums", "x"),
		hit(journal.KindCheckpoint, "ckp-03", "orders: Orders", "b"),
		hit(journal.KindCheckpoint, "ckp-01", "users: Users", "[ ] orders"),
		hit(journal.KindNote, "not-02", "Orders are sums", "x"),
		hit(journal.KindCheckpoint, "ckp-09", "carts: Carts", "[x] orders"),
		hit(journal.KindNote, "not-03", "Orders are sums", "y"),
		hit(journal.KindCheckpoint, "ckp-05", "", "[ ] orders"),
	}
	var got []string
	for _, h := range foldedHits(hits, "Orders sum") {
		got = append(got, fmt.Sprintf("%s+%d", h.ID, h.like))
	}
	if want := []string{"ckp-09+2", "not-02+1", "ckp-03+1", "not-03+0"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
