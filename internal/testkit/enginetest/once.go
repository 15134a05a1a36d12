package enginetest

import (
	"kedge"
	"kedge/internal/core/config"
	"kedge/internal/core/run"
	"kedge/internal/engine"
)

func startTwice(b *bench) {
	e := b.Open(b.hands())
	done := make(chan error, 4)
	for range cap(done) {
		go func() { done <- e.Start(b.Context(), begun(first, config.Rules{}, "a", "b")) }()
	}
	for range cap(done) {
		if err := <-done; err != nil {
			b.Errorf("start: %v", err)
		}
	}
	b.completedOnce(b.untilOver(e))
	before := b.state(e)
	b.start(e, begun(first, config.Rules{}, "other"))
	b.Leave()
	e = b.Open(b.hands())
	b.start(e, begun(first, config.Rules{}, "other"))
	b.want("features", b.statuses(b.state(e)), b.statuses(before))
}

func deliverTwice(b *bench) {
	b.holds = true
	said := run.Input{ID: "evt-said", Kind: run.Said, Feature: "a", Actor: ann, Text: "hello"}
	e := b.Open(b.hands())
	b.start(e, begun(first, config.Rules{}, "a"))
	b.until(e, first, "at work", phase(run.Working))
	for range 3 {
		b.deliver(e, said)
	}
	b.Leave()
	e = b.Open(b.hands())
	b.deliver(e, said)
	other := said
	other.ID = "evt-other"
	b.deliver(e, other)
	b.finish()
	b.completedOnce(b.untilOver(e))
	b.want("told", b.count("tell hello"), 2)
}

func noSuchRun(b *bench) {
	e := b.Open(b.hands())
	_, err := e.State(b.Context(), "run-none")
	for what, err := range map[string]error{
		"state":   err,
		"deliver": e.Deliver(b.Context(), "run-none", run.Input{Kind: run.PauseAsked, Actor: ann}),
		"watch":   e.Watch(b.Context(), "run-none", func(engine.Step) { b.Error("there is a step") }),
		"cancel":  e.Cancel(b.Context(), "run-none", ann),
	} {
		if !kedge.NotFound.Is(err) {
			b.Errorf("%s: %v", what, err)
		}
	}
	for _, ev := range []run.Input{{Kind: run.PauseAsked, Run: first}, {Kind: run.Begun}} {
		if err := e.Start(b.Context(), ev); !kedge.Invalid.Is(err) {
			b.Errorf("start with %q: %v", ev.Kind, err)
		}
	}
}

// lateAnswers: what an earlier owner of the run says is not heard, nor is an
// answer to something that nobody asked.
func lateAnswers(b *bench) {
	b.holds = true
	e := b.Open(b.hands())
	b.start(e, begun(first, config.Rules{}, "a"))
	old := b.until(e, first, "at work", phase(run.Working)).Epoch
	b.Leave()
	e = b.Open(b.hands())
	s := b.until(e, first, "taken over", func(s *run.State) bool { return s.Epoch > old })
	for _, ev := range []run.Input{
		{Kind: run.Exited, Epoch: old, Outcome: run.Finished},
		{Kind: run.Used, Epoch: old, Usage: &kedge.Spend{Tokens: 1e9}},
		{Kind: run.TurnEnded, Epoch: old},
		{Kind: run.Exited, Epoch: s.Epoch + 100, Outcome: run.Finished},
		{Kind: run.Gated, Epoch: s.Epoch, Outcome: run.Green},
		{Kind: run.Skipped, Feature: "a", Actor: kedge.Agent("ses-1")},
		{Kind: "something new", Epoch: s.Epoch},
	} {
		b.deliver(e, ev)
	}
	now := b.state(e)
	b.want("epoch", now.Epoch, s.Epoch)
	if !now.Live(now.Jobs[0].ID) || now.Jobs[0].Phase != run.Working || now.Spent.Tokens > 100 {
		b.Errorf("something was heard: %+v", now)
	}
	b.finish()
	b.completedOnce(b.untilOver(e))
}
