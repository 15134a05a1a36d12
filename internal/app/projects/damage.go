package projects

import (
	"context"
	"sync"

	"kedge/internal/journal"
)

// Damage collects what a reading call finds of journals that are not whole. The call still
// answers, with what is left.
type Damage struct {
	mu    sync.Mutex
	first error
}

type damageKey struct{}

// WithDamage gives a context in which a call notes damage.
func WithDamage(ctx context.Context) (context.Context, *Damage) {
	d := &Damage{}
	return context.WithValue(ctx, damageKey{}, d), d
}

// Err gives the first damage that was found, or nil.
func (d *Damage) Err() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.first
}

// noteDamage notes an error of a journal for the call in ctx.
func noteDamage(ctx context.Context, err error) {
	d, ok := ctx.Value(damageKey{}).(*Damage)
	if !ok || err == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.first == nil {
		d.first = err
	}
}

// noteRefusal notes why a journal takes no events, if it takes none.
func noteRefusal(ctx context.Context, st *journal.Store) {
	noteDamage(ctx, st.Refusal())
}
