package agenttest

import (
	"slices"
	"strconv"
	"strings"

	"kedge/internal/agents"
	"kedge/internal/core/watch"
	"kedge/internal/testkit/modelserver"
)

// shorten: told to shorten its context it stops its turn, does it, keeping what it is
// told where it takes that, and goes on with its work.
func shorten(w *world) {
	const keep = "Keep the blue one."
	var turns []modelserver.Turn
	for i := range 6 {
		turns = append(turns, modelserver.Turn{Text: words(10*i, 10*i+10), Calls: []modelserver.Call{{Do: modelserver.Run, Line: "seq 1 " + strconv.Itoa(20+i)}}})
	}
	w.play(append(turns, modelserver.Turn{Text: "Done.", Faults: []modelserver.Fault{{Kind: modelserver.Stall}}})...)
	s := w.start(agents.Task{})
	s.untilHalf(7, "Done.")
	s.say(agents.Word{Kind: agents.Shorten, ID: "e", Text: keep})
	s.until("a compaction", func(ev watch.Act) bool { return ev.Kind == watch.Compact || ev.Kind == watch.Spared })
	s.say(agents.Word{Kind: agents.Tell, ID: "ff", Text: "Go on. " + modelserver.Mark("main")})
	s.finished()
	if all := s.of(watch.Compact); len(all) != 1 || !all[0].Asked {
		w.t.Errorf("compacted as %+v: %+v", all, s.of(watch.Spared))
	}
	if says := s.of(watch.Say); len(says) == 0 || says[len(says)-1].Text != "Done." {
		w.t.Errorf("it said %+v", says)
	}
	told := slices.ContainsFunc(w.server.Records(), func(r modelserver.Record) bool { return r.Request.Aside() && strings.Contains(string(r.Body), keep) })
	if told == w.live.Deaf {
		w.t.Errorf("who summarises was told what to keep: %v", told)
	}
	s.used()
}

// refuse: told to shorten its context, which its settings do not let it, it stops its
// turn, says why not, and goes on with its work.
func refuse(w *world) {
	w.extra = []string{"DISABLE_COMPACT=1"}
	w.play(
		modelserver.Turn{Calls: []modelserver.Call{{Do: modelserver.Run, Line: "seq 1 20"}}},
		modelserver.Turn{Text: "Done.", Faults: []modelserver.Fault{{Kind: modelserver.Stall}}},
	)
	s := w.start(agents.Task{})
	s.untilHalf(2, "Done.")
	s.say(agents.Word{Kind: agents.Shorten, ID: "e", Text: "Keep the blue one."})
	if ev := s.until("a refusal", func(ev watch.Act) bool { return ev.Kind == watch.Compact || ev.Kind == watch.Spared }); ev.Kind != watch.Spared || !ev.Asked || ev.Text == "" {
		w.t.Errorf("it told %+v", ev)
	}
	s.say(agents.Word{Kind: agents.Tell, ID: "ff", Text: "Go on. " + modelserver.Mark("main")})
	s.finished()
	if says := s.of(watch.Say); len(says) == 0 || says[len(says)-1].Text != "Done." {
		w.t.Errorf("it said %+v", says)
	}
	s.used()
}
