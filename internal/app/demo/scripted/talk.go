package scripted

import (
	"context"
	"time"
)

// say covers what is only said: say, step, question and plan.
func (p *player) say(_ context.Context, a Action) *end {
	p.tell(map[string]any{"type": a.Do, "text": a.Text})
	return p.settle(a.Text)
}

func (p *player) ask(_ context.Context, a Action) *end {
	p.tell(map[string]any{"type": "ask", "question": a.Text})
	return &end{0}
}

// loop does its actions again and again; 0 times is for ever.
func (p *player) loop(ctx context.Context, a Action) *end {
	for i := 0; a.Times == 0 || i < a.Times; i++ {
		if ctx.Err() != nil {
			return &end{130}
		}
		if e := p.all(ctx, a.Actions); e != nil {
			return e
		}
	}
	return nil
}

func (p *player) done(context.Context, Action) *end {
	p.tell(map[string]any{"type": "say", "text": "done"})
	return &end{0}
}

func (p *player) exit(_ context.Context, a Action) *end { return &end{a.Code} }

func (p *player) limit(_ context.Context, a Action) *end {
	event := map[string]any{"type": "limit"}
	if a.Until != "" {
		event["until"] = a.Until
	}
	if d, err := time.ParseDuration(a.For); err == nil {
		event["until"] = p.w.Now().Add(d).UTC().Format(time.RFC3339Nano)
	}
	p.tell(event)
	return &end{1}
}

func (p *player) noLogin(_ context.Context, a Action) *end {
	p.tell(map[string]any{"type": "no_login", "text": a.Text})
	return &end{1}
}
