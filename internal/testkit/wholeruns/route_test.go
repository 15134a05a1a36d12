package wholeruns_test

import (
	"path/filepath"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/app/reports"
	"kedge/internal/app/runs"
	"kedge/internal/app/supply"
	"kedge/internal/core/run"
)

// alsoCalled gives the scripted agent further names, and adds to config.toml.
func (w *world) alsoCalled(more string, names ...string) {
	w.t.Helper()
	file := filepath.Join(w.dir, ".kedge", "config.toml")
	text := w.read(file)
	_, command, ok := strings.Cut(text, "kind = \"command\"\n")
	command, _, _ = strings.Cut(command, "\n")
	if !ok {
		w.t.Fatalf("no agent in\n%s", text)
	}
	for _, name := range names {
		text += "[agents." + name + "]\nkind = \"command\"\n" + command + "\n"
	}
	w.write(file, text+more)
	w.commit("more agents")
}

// routes are the rows of the sessions, the oldest first: row, agent and model.
func (w *world) routes() string {
	w.t.Helper()
	var out []string
	for _, s := range w.sessions() {
		if s.Route == nil || s.Route.Why == "" || s.Route.Agent != s.Agent {
			w.t.Fatalf("a session says not why it has its agent: %+v", s)
		}
		out = append(out, s.Route.Row+"="+s.Route.Name())
	}
	return strings.Join(out, " ")
}

// TestRow76RoutesByKindOfWork: each session has the agent of its row, and says so.
func TestRow76RoutesByKindOfWork(t *testing.T) {
	w := newWorld(t, nil, `[{"feature":"a","purpose":"implement","do":[{"do":"write","path":"no.txt","text":"x\n"}]},
		{"do":[{"do":"write","path":"{{feature}}.txt","text":"{{KEDGE_MODEL}}\n"},{"do":"usage","usage":{"input_tokens":10,"output_tokens":1}}]}]`, "")
	w.alsoCalled("[route]\nimplement = \"worker:mid\"\nrepair = \"mender:big\"\ntest = \"tester\"\n[[route.rows]]\npriority = 5\nuse = \"chief:best\"\n",
		"worker", "mender", "tester", "chief")
	w.feature("a", "test -f a.txt")
	w.feature("b", "test -f b.txt", after("a"), func(d *kedge.Definition) { d.Category = "test" })
	w.feature("c", "grep best c.txt", after("b"), func(d *kedge.Definition) { d.Priority = 5 })
	w.want(w.run(supply.Flags{}), run.StatusDone, "", "a:completed b:completed c:completed")
	if got, want := w.routes(), "route.implement=worker:mid route.repair=mender:big route.test=tester route.rows[1]=chief:best"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	cost, err := w.svc.Cost(w.ctx, w.caller(), reports.CostRequest{By: "route"})
	if err != nil || len(cost.Rows) != 4 {
		t.Errorf("%+v, %v", cost, err)
	}
	out, err := w.svc.Explain(w.ctx, w.caller(), reports.ExplainRequest{Commit: w.git("log", "--format=%H", "--grep=Kedge-Feature: a")})
	if err != nil || out.Session == nil || out.Session.Route == nil || out.Session.Route.Row != "route.repair" {
		t.Errorf("%+v, %v", out.Session, err)
	}
}

// TestRow76FallbackAtAProvidersLimit: one fallback after the other, each recorded;
// an agent that is not there keeps the run from beginning.
func TestRow76FallbackAtAProvidersLimit(t *testing.T) {
	w := newWorld(t, nil, `[{"number":1,"do":[{"do":"limit","for":"1h"}]},{"number":2,"do":[{"do":"limit","for":"1h"}]},
		{"do":[{"do":"write","path":"{{feature}}.txt","text":"{{KEDGE_MODEL}}\n"}]}]`, "")
	w.feature("a", "grep small a.txt")
	w.alsoCalled("[route]\nfallback = [\"second\", \"absent\"]\n[agents.absent]\nkind = \"command\"\ncommand = [\"/nowhere/absent\"]\n", "second")
	if _, err := w.svc.RunStart(w.ctx, w.caller(), runs.RunStartRequest{}); !kedge.Blocked.Is(err) || !strings.Contains(err.Error(), "route.fallback in config.toml") {
		t.Fatalf("a fallback that is not there: %v", err)
	}
	file := filepath.Join(w.dir, ".kedge", "config.toml")
	w.write(file, strings.Replace(w.read(file), "\"absent\"]", "\"third:small\"]", 1))
	w.alsoCalled("", "third")
	w.want(w.run(supply.Flags{}), run.StatusDone, "", "a:completed")
	if got, want := w.routes(), "run.agent=bot route.fallback=second route.fallback=third:small"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
