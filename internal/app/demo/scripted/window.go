package scripted

import (
	"context"
	"fmt"

	"kedge/internal/text/words"
)

// window is a simulated context: how full it is, and what the agent still knows.
type window struct {
	size  int64
	used  int64
	brief int64
	fresh int64 // since the last report
	known map[string]bool
}

func newWindow(size int64, brief string) window {
	w := window{size: size, known: map[string]bool{}}
	w.add(brief)
	w.brief = w.used
	return w
}

func (w *window) add(text string) { w.grow(int64(words.Tokens(text))) }

func (w *window) grow(n int64) {
	w.used += n
	w.fresh += n
}

// forget leaves the brief and a summary of a twentieth of the window.
func (w *window) forget() {
	w.used, w.fresh = min(w.used, w.brief+w.size/20), 0
	clear(w.known)
}

// settle ends a turn: it reports what the turn cost, and sees whether the window
// still holds everything.
func (p *player) settle(output string) *end {
	before := p.ctx.used - p.ctx.fresh
	out := int64(words.Tokens(output))
	p.ctx.grow(out)
	report := map[string]any{
		"type": "usage", "input_tokens": p.ctx.fresh - out, "cache_read_tokens": before, "cache_write_tokens": 0,
		"output_tokens": out, "context_tokens": p.ctx.used, "context_window": p.ctx.size, "model": p.script.Model,
	}
	if p.script.USD > 0 {
		report["usd"] = float64(p.ctx.fresh) * p.script.USD / 1e6
	}
	p.tell(report)
	if output != "" {
		p.tell(map[string]any{"type": "turn", "text": head(output, 1000)})
	}
	p.ctx.fresh = 0
	if p.ctx.used <= p.ctx.size {
		return nil
	}
	return p.overflow()
}

func (p *player) overflow() *end {
	if p.script.Overflow != "forget" || p.ctx.brief > p.ctx.size {
		fmt.Fprintf(p.w.Err, "fakeagent: the prompt is too long: it has %d tokens, and the limit is %d\n", p.ctx.used, p.ctx.size)
		return &end{1}
	}
	p.ctx.forget()
	p.tell(map[string]any{"type": "compacted"})
	return nil
}

func (p *player) grow(_ context.Context, a Action) *end {
	p.ctx.grow(a.Tokens)
	return p.settle("thinks")
}

func (p *player) compact(context.Context, Action) *end {
	p.ctx.forget()
	p.tell(map[string]any{"type": "compacted"})
	return p.settle("compacted")
}

// usage reports figures as the script has them, whatever the window says.
func (p *player) usage(_ context.Context, a Action) *end {
	report := map[string]any{"type": "usage"}
	if u := a.Usage; u != nil {
		for name, n := range map[string]*int64{
			"input_tokens": u.Input, "cache_read_tokens": u.CacheRead, "cache_write_tokens": u.CacheWrite,
			"output_tokens": u.Output, "context_tokens": u.Context, "context_window": u.Window,
		} {
			if n != nil {
				report[name] = *n
			}
		}
		if u.USD != nil {
			report["usd"] = *u.USD
		}
		report["model"] = u.Model
	}
	p.tell(report)
	return nil
}
