package app_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"kedge"
	"kedge/internal/app/attend"
	"kedge/internal/app/features"
	"kedge/internal/app/memory"
	"kedge/internal/app/projects"
	"kedge/internal/app/status"
	"kedge/internal/app/verify"
	"kedge/internal/journal"
	"kedge/internal/journal/spool"
	"kedge/internal/process"
)

// leave is what a hook leaves.
func (p *gateProject) leave(after time.Duration, r attend.Record) {
	p.t.Helper()
	r.Version = 1
	if r.Dir == "" {
		r.Dir = p.dir
	}
	b, err := json.Marshal(r)
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := spool.Put(p.home, r.Dir, time.Unix(1_800_000_000, 0).Add(after), b); err != nil {
		p.t.Fatal(err)
	}
}

func (p *gateProject) take(want int) {
	p.t.Helper()
	r, err := p.HookTake(p.t.Context(), p.who(), attend.HookTakeRequest{})
	if err != nil || r.Events != want {
		p.t.Errorf("taken were %d, want %d: %v", r.Events, want, err)
	}
}

// hookEvents are the facts of hooks in the journal.
func (p *gateProject) hookEvents() []kedge.HookData {
	p.t.Helper()
	return p.hookEventsOf(gateProjectID)
}

func (p *gateProject) hookEventsOf(project string) (out []kedge.HookData) {
	p.t.Helper()
	st, err := journal.Open(filepath.Join(p.home, "projects", project), journal.Options{Now: time.Now, ReadOnly: true})
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	evs, err := st.Events(p.t.Context(), 0)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, ev := range evs {
		if ev.Type != kedge.HookSeen {
			continue
		}
		var d kedge.HookData
		if err := json.Unmarshal(ev.Data, &d); err != nil {
			p.t.Fatal(err)
		}
		out = append(out, d)
	}
	return out
}

func (p *gateProject) stop(who projects.Caller, native string, again bool) attend.HookStopReply {
	p.t.Helper()
	who.Key = kedge.NewID("req", time.Unix(0, 0))
	r, err := p.HookStop(p.t.Context(), who, attend.HookStopRequest{Agent: "claude", Native: native, Again: again, Env: p.env})
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

const wantsGood = "version = 1\n[[check]]\nname = 'unit'\nrun = '''echo ran >> $HOME/runs; test -f good.txt || { echo \"a.go:4: error: first\"; echo \"a.go:5: error: second\"; exit 1; }'''\n"

// TestStopGateBlocksOnceThenLetsGo: the first failure is told once, a red gate is run
// once more at the second end, and the agent goes then whatever the verdict is.
func TestStopGateBlocksOnceThenLetsGo(t *testing.T) {
	p := newGateProject(t)
	p.file(".kedge/gate.toml", wantsGood)
	p.commit()
	p.file("work.txt", "x\n")
	r := p.stop(p.agent(), "c1", false)
	if !r.Block || !strings.Contains(r.Reason, "> a.go:4") || strings.Contains(r.Reason, "> second") || p.runs() != 1 {
		t.Fatalf("%+v after %d runs", r, p.runs())
	}
	if r := p.stop(p.agent(), "c1", true); r.Block || !strings.Contains(r.Tell, "still not green") || p.runs() != 2 {
		t.Errorf("the same tree again: %+v after %d runs", r, p.runs())
	}
	p.file("work.txt", "y\n")
	if r := p.stop(p.agent(), "c1", true); r.Block || r.Tell == "" || p.runs() != 3 {
		t.Errorf("another tree, at the second end: %+v after %d runs", r, p.runs())
	}
	p.file("good.txt", "x\n")
	if r := p.stop(p.who(), "c1", false); r.Block || r.Verdict != kedge.ValidationOK || p.runs() != 4 {
		t.Errorf("green: %+v after %d runs", r, p.runs())
	}
	if r := p.stop(p.agent(), "c1", true); r.Block || r.Verdict != kedge.ValidationOK || p.runs() != 4 {
		t.Errorf("green, the same tree again: %+v after %d runs", r, p.runs())
	}
	blocked := 0
	for _, d := range p.hookEvents() {
		if d.Event == kedge.HookGate && d.Blocked {
			blocked++
		}
	}
	if blocked != 1 {
		t.Errorf("the journal has %d blocks", blocked)
	}
}

// TestStopGateRunsAllChecks: a green verdict of the checks that somebody named says
// nothing of the others.
func TestStopGateRunsAllChecks(t *testing.T) {
	p := newGateProject(t)
	p.file(".kedge/gate.toml", wantsGood+"[[check]]\nname = 'lint'\nrun = 'true'\n")
	p.commit()
	p.file("work.txt", "x\n")
	who := p.agent()
	who.Key = "req-lint"
	if r, err := p.Gate(t.Context(), who, verify.GateRequest{Names: []string{"lint"}, Env: p.env}); err != nil || !r.Green() || p.runs() != 0 {
		t.Fatalf("lint alone: %+v, %v", r, err)
	}
	if r := p.stop(p.agent(), "c1", false); !r.Block || p.runs() != 1 {
		t.Errorf("%+v after %d runs", r, p.runs())
	}
}

// TestStopGateBlocksOnceForAnAsk: an agent that does not say that it stops again is
// known by what it was asked; another ask may be told again.
func TestStopGateBlocksOnceForAnAsk(t *testing.T) {
	p := newGateProject(t)
	p.file(".kedge/gate.toml", wantsGood)
	p.commit()
	for _, x := range []struct {
		ask   string
		block bool
	}{{"one", true}, {"one", false}, {"one", false}, {"two", true}, {"two", false}} {
		who := p.agent()
		who.Key = kedge.NewID("req", time.Unix(0, 0))
		p.file("work.txt", who.Key)
		r, err := p.HookStop(t.Context(), who, attend.HookStopRequest{Agent: "gemini", Native: "c1", Ask: x.ask, Env: p.env})
		if err != nil || r.Block != x.block || !r.Block && r.Tell == "" {
			t.Errorf("%s: %+v, %v", x.ask, r, err)
		}
	}
}

// TestT17HooksAnchorNothing: a hook in a person's own terminal is an agent's, so a
// green gate of it does not move what agents are measured from.
func TestT17HooksAnchorNothing(t *testing.T) {
	p := newGateProject(t)
	p.file(".kedge/gate.toml", greenGate)
	p.commit()
	p.file("work.txt", "x\n")
	if r := p.stop(p.who(), "c1", false); r.Verdict != kedge.ValidationOK {
		t.Fatalf("%+v", r)
	}
	st, err := journal.Open(filepath.Join(p.home, "projects", gateProjectID), journal.Options{Now: time.Now, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	list, err := journal.All[kedge.Evidence](t.Context(), st, journal.KindEvidence)
	if err != nil || len(list) != 1 || list[0].Anchor || !strings.HasPrefix(string(list[0].By), "agent:") {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestStopWithoutWork: who only talked is not kept waiting for the checks, and a
// project without checks has nothing to say.
func TestStopWithoutWork(t *testing.T) {
	p := newGateProject(t)
	p.file(".kedge/gate.toml", wantsGood)
	p.commit()
	p.leave(0, attend.Record{Data: kedge.HookData{Agent: "claude", Event: kedge.HookStart, Source: "startup", Native: "c1"}})
	p.leave(time.Second, attend.Record{Data: kedge.HookData{Agent: "claude", Event: kedge.HookTool, Tool: "Read", Native: "c1"}})
	if r := p.stop(p.agent(), "c1", false); r.Block || p.runs() != 0 {
		t.Errorf("who read only: %+v after %d runs", r, p.runs())
	}
	p.leave(2*time.Second, attend.Record{Data: kedge.HookData{Agent: "claude", Event: kedge.HookTool, Tool: "Bash", Native: "c1"}})
	if r := p.stop(p.agent(), "c1", false); !r.Block || p.runs() != 1 {
		t.Errorf("who worked: %+v after %d runs", r, p.runs())
	}
	q := newGateProject(t)
	q.commitEmpty()
	if r := q.stop(q.agent(), "c2", false); r.Block {
		t.Errorf("without checks: %+v", r)
	}
}

// TestStopJudgesWhatItCouldNotHear: a tool that is still in the spool may have changed
// something.
func TestStopJudgesWhatItCouldNotHear(t *testing.T) {
	p := newGateProject(t)
	p.file(".kedge/gate.toml", wantsGood)
	p.commit()
	p.leave(0, attend.Record{Data: kedge.HookData{Agent: "claude", Event: kedge.HookStart, Source: "startup", Native: "c1"}})
	p.take(1)
	p.leave(time.Second, attend.Record{Data: kedge.HookData{Agent: "claude", Event: kedge.HookTool, Tool: "Bash", Native: "c1"}})
	files, err := filepath.Glob(filepath.Join(p.home, "spool", "*.left"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v", files, err)
	}
	f, err := os.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH); err != nil { // as a hook that somebody has stopped
		t.Fatal(err)
	}
	if r := p.stop(p.agent(), "c1", false); !r.Block || p.runs() != 1 {
		t.Errorf("%+v after %d runs", r, p.runs())
	}
}

// TestStopHeedsItsOwnEventsOnly: what another project could not be given keeps nobody
// waiting who only talked; what is this conversation's own does.
func TestStopHeedsItsOwnEventsOnly(t *testing.T) {
	p, q := newGateProject(t), newGateProject(t)
	p.file(".kedge/gate.toml", wantsGood)
	p.commit()
	const broken = "prj-01h00000000000000000000001"
	q.file(".git/kedge-id", broken+"\n")
	if err := os.WriteFile(filepath.Join(p.home, "projects", broken), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p.leave(0, attend.Record{Data: kedge.HookData{Agent: "claude", Event: kedge.HookStart, Source: "startup", Native: "talks-only"}})
	p.take(1)
	p.leave(time.Second, attend.Record{Dir: q.dir, Data: kedge.HookData{Agent: "claude", Event: kedge.HookTool, Tool: "Bash", Native: "another"}})
	if r := p.stop(p.agent(), "talks-only", false); r.Block || p.runs() != 0 || spool.Waiting(p.home) != 1 {
		t.Errorf("%+v after %d runs, %d wait", r, p.runs(), spool.Waiting(p.home))
	}
	p.leave(2*time.Second, attend.Record{Dir: q.dir, Data: kedge.HookData{Agent: "claude", Event: kedge.HookTool, Tool: "Bash", Native: "talks-only"}})
	if r := p.stop(p.agent(), "talks-only", false); !r.Block || p.runs() != 1 {
		t.Errorf("its own: %+v after %d runs", r, p.runs())
	}
}

func (p *gateProject) commitEmpty() {
	p.t.Helper()
	p.git("commit", "-q", "--allow-empty", "-m", "x")
}

// TestF27HookEventsAreTakenOnce: in order, also when the daemon died between the
// journal and the spool; and what a session of a run leaves is passed over.
func TestF27HookEventsAreTakenOnce(t *testing.T) {
	p := newGateProject(t)
	p.commitEmpty()
	for i, tool := range []string{"A", "B", "C"} {
		p.leave(time.Duration(i)*time.Second, attend.Record{Data: kedge.HookData{Agent: "claude", Event: kedge.HookTool, Tool: tool}})
	}
	found, err := filepath.Glob(filepath.Join(p.home, "spool", "*"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%q, %v", found, err)
	}
	file := found[0]
	again, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p.take(3)
	if err := os.WriteFile(file, again, 0o600); err != nil {
		t.Fatal(err)
	}
	p.take(3)
	p.take(0)
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.take(0)
	var tools []string
	for _, d := range p.hookEvents() {
		tools = append(tools, d.Tool)
	}
	if strings.Join(tools, "") != "ABC" {
		t.Errorf("the journal has %q", tools)
	}
	if b, err := os.ReadFile(filepath.Join(p.home, "spool", "spoilt")); string(b) != "{" {
		t.Errorf("set aside is %q, %v", b, err)
	}
}

// TestF27OneProjectHoldsUpNoOther: a project that cannot be opened keeps its events,
// in order, and those of others are taken.
func TestF27OneProjectHoldsUpNoOther(t *testing.T) {
	p, q := newGateProject(t), newGateProject(t)
	const broken = "prj-01h00000000000000000000001"
	q.file(".git/kedge-id", broken+"\n")
	state := filepath.Join(p.home, "projects", broken)
	if err := os.WriteFile(state, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for i, dir := range []string{q.dir, p.dir, q.dir, p.dir} {
		p.leave(time.Duration(i)*time.Second, attend.Record{Dir: dir, Data: kedge.HookData{Agent: "claude", Event: kedge.HookTool, Tool: string(rune('A' + i))}})
	}
	r, err := p.HookTake(t.Context(), p.who(), attend.HookTakeRequest{})
	if err == nil || r.Events != 2 || spool.Waiting(p.home) != 2 {
		t.Errorf("taken were %d, %d wait, %v", r.Events, spool.Waiting(p.home), err)
	}
	if err := os.Remove(state); err != nil {
		t.Fatal(err)
	}
	newJournal(t, p.home, broken)
	p.take(2)
	for id, want := range map[string]string{gateProjectID: "BD", broken: "AC"} {
		got := ""
		for _, d := range p.hookEventsOf(id) {
			got += d.Tool
		}
		if got != want {
			t.Errorf("the journal of %s has %q, want %q", id, got, want)
		}
	}
}

// started puts sessions into the journal, before the service has opened it.
func (p *gateProject) started(ids ...kedge.SessionID) {
	p.t.Helper()
	st, err := journal.Open(filepath.Join(p.home, "projects", gateProjectID), journal.Options{Now: time.Now, Key: keyOf(p.t, p.home)})
	if err != nil {
		p.t.Fatal(err)
	}
	for _, id := range ids {
		ev, err := kedge.NewEvent(kedge.SessionStarted, kedge.ActorDaemon, kedge.Session{ID: id, Name: string(id[len(id)-1:]), Agent: "claude", State: kedge.SessionRunning})
		if err != nil {
			p.t.Fatal(err)
		}
		ev.Project = gateProjectID
		if _, _, err := st.Append(p.t.Context(), "", ev); err != nil {
			p.t.Fatal(err)
		}
	}
	if err := st.Close(); err != nil {
		p.t.Fatal(err)
	}
}

// session is what the journal has of one.
func (p *gateProject) session(id kedge.SessionID) kedge.Session {
	p.t.Helper()
	st, err := journal.Open(filepath.Join(p.home, "projects", gateProjectID), journal.Options{Now: time.Now, ReadOnly: true})
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	ses, ok, err := journal.Get[kedge.Session](p.t.Context(), st, journal.KindSession, string(id))
	if err != nil || !ok {
		p.t.Fatalf("no session %q, %v", id, err)
	}
	return ses
}

// TestT18HooksSpeakForTheirOwnSession: an event that names a session without the
// proof of its token is filed under none, and its figures are nobody's.
func TestT18HooksSpeakForTheirOwnSession(t *testing.T) {
	p := newGateProject(t)
	proofs := map[kedge.SessionID]string{}
	const own, other = kedge.SessionID("ses-01h00000000000000000000001"), kedge.SessionID("ses-01h00000000000000000000002")
	for _, id := range []kedge.SessionID{own, other} {
		dir := filepath.Join(p.home, "sessions", string(id))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		token, err := process.IssueToken(dir)
		if err != nil {
			t.Fatal(err)
		}
		proofs[id] = process.TokenProof(token)
	}
	p.started(own, other)
	for i, x := range []struct {
		session kedge.SessionID
		proof   string
	}{{own, proofs[own]}, {other, proofs[own]}, {other, ""}, {"../" + own, proofs[own]}} {
		p.leave(time.Duration(i)*time.Second, attend.Record{
			Data: kedge.HookData{Agent: "claude", Event: kedge.HookTool, Tool: "Bash", Session: x.session}, Proof: x.proof,
		})
	}
	p.take(4)
	var got []kedge.SessionID
	for _, d := range p.hookEvents() {
		got = append(got, d.Session)
	}
	if !slices.Equal(got, []kedge.SessionID{own, "", "", ""}) {
		t.Errorf("the journal has events of %q", got)
	}
	if refused := p.refusals(); !slices.Equal(refused, []kedge.SessionRefusedData{{ID: other, Act: "hook", Reason: attend.Unproven}, {Act: "hook", Reason: attend.Unproven}}) {
		t.Errorf("the journal has the refusals %+v", refused) // each once, however often it is tried
	}
	tokens := int64(7)
	for i, x := range []struct{ session, used kedge.SessionID }{{own, own}, {own, other}, {other, other}} {
		p.leave(time.Duration(10+i)*time.Second, attend.Record{
			Data: kedge.HookData{Agent: "claude", Event: kedge.HookStatus, Session: x.session}, Proof: proofs[own],
			Used: &kedge.SessionUsedData{ID: x.used, ContextTokens: &tokens},
		})
	}
	p.take(3)
	for _, id := range []kedge.SessionID{own, other} {
		if known := p.session(id).ContextTokens != nil; known != (id == own) {
			t.Errorf("%s: the context is known: %v", id, known)
		}
	}
}

// refusals are what the journal has of tries to speak for another session.
func (p *gateProject) refusals() (out []kedge.SessionRefusedData) {
	p.t.Helper()
	st, err := journal.Open(filepath.Join(p.home, "projects", gateProjectID), journal.Options{Now: time.Now, ReadOnly: true})
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	evs, err := st.Events(p.t.Context(), 0)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, ev := range evs {
		if ev.Type == kedge.SessionRefused {
			var d kedge.SessionRefusedData
			if err := json.Unmarshal(ev.Data, &d); err != nil {
				p.t.Fatal(err)
			}
			out = append(out, d)
		}
	}
	return out
}

// TestRow66FocusBeforeCompaction: the instruction has the objective, the locked
// decisions and what may go; it is stored with the event, and a checkpoint is
// saved.
func TestRow66FocusBeforeCompaction(t *testing.T) {
	p := newGateProject(t)
	p.file(kedge.ValidateFile, "#!/bin/sh\n")
	p.commitEmpty()
	if _, err := p.DecisionAdd(t.Context(), p.who(), memory.DecisionAddRequest{Title: "flags are required", Why: "completion"}); err != nil {
		t.Fatal(err)
	}
	who := p.who()
	who.Key = "req-2"
	if _, err := p.FeatureAdd(t.Context(), who, features.FeatureAddRequest{Definition: kedge.Definition{ID: "orders", Name: "Orders of a user"}}); err != nil {
		t.Fatal(err)
	}
	r, err := p.HookBrief(t.Context(), p.agent(), attend.HookBriefRequest{Event: kedge.HookCompact, Source: "auto"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"the objective: feature orders: Orders of a user", "locked: dec-", "flags are required", "Drop: output of commands"} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("%q is not in\n%s", want, r.Text)
		}
	}
	p.leave(0, attend.Record{Data: kedge.HookData{Agent: "claude", Event: kedge.HookCompact, Text: r.Text}})
	p.take(1)
	if evs := p.hookEvents(); len(evs) != 1 || evs[0].Text != r.Text {
		t.Errorf("the journal has %+v", evs)
	}
	c, err := p.CheckpointShow(t.Context(), p.who(), status.CheckpointShowRequest{})
	if err != nil || !strings.Contains(c.Resume, "orders") {
		t.Errorf("the checkpoint says %q, %v", c.Resume, err)
	}
}

// TestRow8StartHasTheRulesFirst: what a conversation is given begins with the rules
// of the commit, byte for byte, and is short enough for the agent to pass on.
func TestRow8StartHasTheRulesFirst(t *testing.T) {
	p := newGateProject(t)
	rules := "# 1. Constraints\n- Keep the API.\n# 2. Code modification\n- Small.\n# 3. Validation loop\n- Test.\n"
	p.file(".kedge/rules.md", rules)
	p.commit()
	p.file(".kedge/rules.md", "# anything goes\n")
	for _, source := range []string{"startup", "resume", "compact"} {
		r, err := p.HookBrief(t.Context(), p.agent(), attend.HookBriefRequest{Event: kedge.HookStart, Source: source, Transcript: filepath.Join(p.dir, "none.jsonl")})
		if err != nil {
			t.Fatal(err)
		}
		i := strings.Index(r.Text, rules)
		if i < 0 || strings.Contains(r.Text[:i], "\n## ") || len(r.Text) > 9500 {
			t.Errorf("%s: %d bytes, the rules at %d:\n%s", source, len(r.Text), i, r.Text)
		}
	}
	r, err := p.HookBrief(t.Context(), projects.Caller{Dir: t.TempDir(), Actor: kedge.Human("ada")}, attend.HookBriefRequest{Event: kedge.HookStart})
	if err != nil || r.Text != "" {
		t.Errorf("outside of a project is told %q, %v", r.Text, err)
	}
}
