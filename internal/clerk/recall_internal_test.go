package clerk

import (
	"fmt"
	"slices"
	"testing"

	"kedge/internal/store"
)

// TestRecallShowsWhatIsEqualOnce: every checkpoint has the whole plan in it; one for
// each task that the words name, and one for all others, the newest.
func TestRecallShowsWhatIsEqualOnce(t *testing.T) {
	hit := func(kind store.Kind, id, title, excerpt string) store.Hit {
		return store.Hit{Kind: kind, ID: id, Title: title, Excerpt: excerpt}
	}
	hits := []store.Hit{
		hit(store.KindCheckpoint, "ckp-02", "orders: Orders", "a"),
		hit(store.KindNote, "not-01", "Orders are sums", "x"),
		hit(store.KindCheckpoint, "ckp-03", "orders: Orders", "b"),
		hit(store.KindCheckpoint, "ckp-01", "users: Users", "[ ] orders"),
		hit(store.KindNote, "not-02", "Orders are sums", "x"),
		hit(store.KindCheckpoint, "ckp-09", "carts: Carts", "[x] orders"),
		hit(store.KindNote, "not-03", "Orders are sums", "y"),
		hit(store.KindCheckpoint, "ckp-05", "", "[ ] orders"),
	}
	var got []string
	for _, h := range foldedHits(hits, "Orders sum") {
		got = append(got, fmt.Sprintf("%s+%d", h.ID, h.like))
	}
	if want := []string{"ckp-09+2", "not-02+1", "ckp-03+1", "not-03+0"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
