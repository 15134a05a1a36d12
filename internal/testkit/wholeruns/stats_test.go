package wholeruns_test

import (
	"math"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"kedge"
	"kedge/internal/app/features"
	"kedge/internal/app/reports"
	"kedge/internal/app/runs"
	"kedge/internal/app/supply"
	"kedge/internal/core/run"
	"kedge/internal/insight/stats"
)

// killed is a run of one feature whose first session is killed by SIGKILL after
// it has written a file, and whose second one reads first and then finishes.
func killed(t *testing.T) (*world, []kedge.Session) {
	t.Helper()
	w := newWorld(t, map[string]string{"notes.txt": strings.Repeat("eight ch", 100)}, `{"version":1,"model":"scripted","usd_per_mtok":3,"plays":[
		{"number":1,"do":[{"do":"write","path":"half.txt","text":"half\n"},{"do":"hang"}]},
		{"do":[{"do":"read","path":"notes.txt"},{"do":"write","path":"{{feature}}.txt","text":"one\ntwo\n"},{"do":"done"}]}]}`, "")
	w.feature("a", "test -f a.txt")
	w.start(supply.Flags{})
	w.until("the first session has acted", func(runs.RunView) bool {
		all := w.sessions()
		return len(all) == 1 && all[0].FirstAction != nil && all[0].PID > 0
	})
	if err := syscall.Kill(w.sessions()[0].PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	w.want(w.rest(), run.StatusDone, "", "a:completed")
	all := w.sessions()
	if len(all) != 2 {
		t.Fatalf("%d sessions\n%s", len(all), w.story())
	}
	return w, all
}

// TestRow24And61And62KilledAgent: stats tell the cause of the interruption, how
// long it took until the next session acted, and what the tokens gave.
func TestRow24And61And62KilledAgent(t *testing.T) {
	w, all := killed(t)
	s, err := w.svc.Stats(w.ctx, w.caller(), reports.StatsRequest{By: "agent"})
	if err != nil {
		t.Fatal(err)
	}
	if s.Sessions != 2 || s.Interrupted != 1 || len(s.Interruptions) != 1 {
		t.Fatalf("%+v\n%s", s.Figures, w.story())
	}
	x := s.Interruptions[0]
	longest := all[1].FirstAction.At.Sub(all[0].FirstAction.At).Minutes()
	if x.Cause != stats.Killed || x.Count != 1 || x.Open != 0 || x.Minutes < 0 || x.Minutes > longest+0.001 || x.Minutes != s.RecoveryMinutes {
		t.Errorf("%+v, recovery %v, at most %v", x, s.RecoveryMinutes, longest)
	}
	if s.ProductiveMinutes < 0 || s.SilentSessions != 0 {
		t.Errorf("productive %v, silent %d", s.ProductiveMinutes, s.SilentSessions)
	}
	tokens := *all[0].Tokens + *all[1].Tokens
	if s.VerifiedFeatures != 1 || s.Tokens == nil || *s.Tokens != tokens || !near(s.FeaturesPerMTok, 1e6/float64(tokens)) {
		t.Errorf("%+v, tokens %d", s.Figures, tokens)
	}
	if usd := *all[0].USD + *all[1].USD; !near(s.USD, usd) || !near(s.FeaturesPerUSD, 1/usd) {
		t.Errorf("%+v, usd %v", s.Figures, usd)
	}
	if want := w.changed("a"); s.VerifiedLines == nil || *s.VerifiedLines != want || want != 3 {
		t.Errorf("lines %v, the work commit changes %d", s.VerifiedLines, want)
	}
	if len(s.Rows) != 1 || s.Rows[0].Key != "bot" || s.Rows[0].VerifiedFeatures != 1 {
		t.Errorf("rows %+v", s.Rows)
	}
}

// near is equality but for how floating point numbers are added up.
func near(got *float64, want float64) bool {
	return got != nil && math.Abs(*got-want) <= 1e-9*math.Abs(want)
}

// changed counts the lines of a feature's work commit.
func (w *world) changed(feature string) int64 {
	w.t.Helper()
	sha := w.git("log", "--format=%H", "--grep=Kedge-Feature: "+feature)
	var n int64
	for line := range strings.Lines(w.git("diff", "--numstat", sha+"^", sha)) {
		for _, field := range strings.Fields(line)[:2] {
			k, err := strconv.ParseInt(field, 10, 64)
			if err != nil {
				w.t.Fatal(err)
			}
			n += k
		}
	}
	return n
}

// TestRow26ReadBeforeTheFirstEdit: what each session read before it first changed
// a file is written down, and shown with the feature and its commit.
func TestRow26ReadBeforeTheFirstEdit(t *testing.T) {
	w, all := killed(t)
	if f := all[0].FirstEdit; f == nil || f.Calls != 0 || f.ReadTokens != 0 || f.Path != "half.txt" || f.Tool != "Write" {
		t.Errorf("the first session %+v", f)
	}
	f := all[1].FirstEdit
	if f == nil || f.Calls != 1 || f.ReadTokens != 200 || f.Path != "a.txt" || f.UsedTokens == nil || *f.UsedTokens < 200 {
		t.Fatalf("the second session %+v", f)
	}
	show, err := w.svc.FeatureShow(w.ctx, w.caller(), features.FeatureShowRequest{ID: "a"})
	if err != nil {
		t.Fatal(err)
	}
	if len(show.Sessions) != 2 || show.Sessions[1].FirstEdit == nil || show.Sessions[1].FirstEdit.ReadTokens != 200 || show.Sessions[0].Cause != "killed" {
		t.Errorf("the feature shows %+v", show.Sessions)
	}
	x, err := w.svc.Explain(w.ctx, w.caller(), reports.ExplainRequest{Commit: w.git("log", "--format=%H", "--grep=Kedge-Feature: a")})
	if err != nil {
		t.Fatal(err)
	}
	if x.Session == nil || x.Session.FirstEdit == nil || x.Session.FirstEdit.ReadTokens != 200 {
		t.Errorf("the commit explains %+v", x.Session)
	}
}

// TestRow74CostOfARun: the same tokens and money by session, feature, phase,
// model, agent and day.
func TestRow74CostOfARun(t *testing.T) {
	w := newWorld(t, nil, `{"version":1,"model":"scripted","usd_per_mtok":3,"plays":[{"do":[{"do":"write","path":"{{feature}}.txt","text":"ok\n"},{"do":"done"}]}]}`, "")
	w.feature("a", "test -f a.txt", func(d *kedge.Definition) { d.Phase = "p1" })
	w.feature("b", "test -f b.txt", func(d *kedge.Definition) { d.Phase = "p2" })
	w.want(w.run(supply.Flags{}), run.StatusDone, "", "a:completed b:completed")
	all := w.sessions()
	day := all[0].StartedAt.UTC().Format("2006-01-02")
	for by, keys := range map[string][]string{
		"session": {string(all[0].ID), string(all[1].ID)}, "feature": {"a", "b"}, "phase": {"p1", "p2"}, "model": {"scripted"}, "agent": {"bot"}, "day": {day},
	} {
		r, err := w.svc.Cost(w.ctx, w.caller(), reports.CostRequest{By: by})
		if err != nil {
			t.Fatal(err)
		}
		var tokens int64
		var usd float64
		found := map[string]bool{}
		for _, row := range r.Rows {
			found[row.Key] = true
			if row.Tokens == nil || row.USD == nil || row.Kinds == nil || row.Estimated {
				t.Errorf("by %s: %+v", by, row)
				continue
			}
			tokens, usd = tokens+*row.Tokens, usd+*row.USD
		}
		for _, key := range keys {
			if !found[key] && by != "day" { // a run may last over midnight
				t.Errorf("by %s there is no %q: %v", by, key, found)
			}
		}
		if tokens != *all[0].Tokens+*all[1].Tokens || r.Total.Tokens == nil || *r.Total.Tokens != tokens || !near(r.Total.USD, usd) {
			t.Errorf("by %s: %d tokens, %v USD, in all %+v", by, tokens, usd, r.Total)
		}
	}
}

// TestRow74SilentAgentIsEstimated: of an agent that gives no usage the tokens are
// estimated, and said to be; what it cost is unknown.
func TestRow74SilentAgentIsEstimated(t *testing.T) {
	w := newWorld(t, nil, "", "[agents.mute]\nkind = \"command\"\ncommand = [\"sh\", \"-c\", \"cat >/dev/null; echo working; echo ok >a.txt\"]\n[run]\nagent = \"mute\"\n")
	w.feature("a", "test -f a.txt")
	w.want(w.run(supply.Flags{}), run.StatusDone, "", "a:completed")
	r, err := w.svc.Cost(w.ctx, w.caller(), reports.CostRequest{By: "feature"})
	if err != nil {
		t.Fatal(err)
	}
	printed := w.sessions()[0].Bytes
	if len(r.Rows) != 1 || !r.Rows[0].Estimated || r.Rows[0].Tokens != nil || r.Rows[0].USD != nil || r.Rows[0].UnknownTokens != 1 {
		t.Fatalf("%+v", r.Rows)
	}
	if got := r.Rows[0].Guessed; printed == 0 || got == nil || *got != (printed+3)/4 {
		t.Errorf("estimated %v of %d bytes", got, printed)
	}
}

// TestRow62CausesOfARun: what a run itself writes down tells a crash, a limit of
// the provider and a full context apart.
func TestRow62CausesOfARun(t *testing.T) {
	w := newWorld(t, nil, `{"version":1,"window":200000,"plays":[
		{"feature":"crashes","number":1,"do":[{"do":"write","path":"half.txt","text":"half\n"},{"do":"exit","code":3}]},
		{"feature":"limited","number":1,"do":[{"do":"write","path":"half.txt","text":"half\n"},{"do":"limit","for":"1s"}]},
		{"feature":"fills","number":1,"do":[{"do":"write","path":"half.txt","text":"half\n"},
			{"do":"loop","times":45,"actions":[{"do":"grow","tokens":3200},{"do":"run","line":"date +%N"}]},{"do":"hang"}]},
		{"do":[{"do":"write","path":"{{feature}}.txt","text":"ok\n"}]}]}`, "")
	for _, id := range []string{"crashes", "limited", "fills"} {
		w.feature(id, "test -f "+id+".txt")
	}
	w.want(w.run(supply.Flags{}), run.StatusDone, "", "crashes:completed fills:completed limited:completed")
	s, err := w.svc.Stats(w.ctx, w.caller(), reports.StatsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	found := map[stats.Cause]int{}
	for _, x := range s.Interruptions {
		found[x.Cause] = x.Count
		if x.Open != 0 {
			t.Errorf("%s was not taken up again: %+v", x.Cause, x)
		}
	}
	if len(found) != 3 || found[stats.Crash] != 1 || found[stats.ProviderLimit] != 1 || found[stats.FullContext] != 1 || s.Interrupted != 3 || s.Sessions != 6 {
		t.Errorf("%+v\n%s", s.Figures, w.story())
	}
	if s.Interruptions[0].Minutes < s.Interruptions[1].Minutes || s.Interruptions[1].Minutes < s.Interruptions[2].Minutes {
		t.Errorf("not ranked by minutes: %+v", s.Interruptions)
	}
}
