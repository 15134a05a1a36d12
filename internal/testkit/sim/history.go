package sim

import (
	"fmt"
	"reflect"
	"slices"

	"kedge"
	"kedge/internal/core/run"
)

// history is what was seen of a run, and what it shows about each job.
type history struct {
	recording bool
	entries   []Entry
	violation string
	jobs      []*jobFacts // by number
	emitted   []*run.Command
	green     []place // baselines and clean verdicts that were green
	salvages  map[string]int64
	ledgers   map[int64]run.Command
}

// place is a tree in an environment.
type place struct{ tree, environment string }

// jobFacts is what the history shows about one job.
type jobFacts struct {
	feature   kedge.FeatureID
	known     bool
	sessions  int
	unsaved   bool           // a session began, or ended, and nothing was saved since
	reverted  bool           // put back since the last session began
	attempt   int            //
	repairs   int            // in the attempt
	moves     bool           // to another base, for its repair
	base      place          // as prepared
	verified  []verification // full green verdicts in the clean worktree
	unjudged  []string       // trees for which there was no check there
	commit    string
	tree      string      // of the commit
	confirmed string      // what a verdict was given for, without a commit
	moot      bool        // nothing is left of its work after the merge
	proved    run.Outcome // its checks before the work, in this preparation
	baseline  run.Outcome // of the base, in this preparation
	begun     bool        // a session began since it was prepared
	provedAt  int64       // the number of the command that proved
}

type verification struct {
	tree     string
	evidence kedge.EvidenceID
}

func newHistory(recording bool) *history {
	return &history{recording: recording, salvages: map[string]int64{}, ledgers: map[int64]run.Command{}}
}

func (h *history) note(text string) {
	if h.recording {
		h.entries = append(h.entries, Entry{Note: text})
	}
}

// fail keeps the first violation.
func (h *history) fail(invariant int, what string) {
	if h.violation == "" {
		h.violation = fmt.Sprintf("invariant %d: %s", invariant, what)
	}
}

func (h *history) job(id int) *jobFacts {
	for len(h.jobs) <= id {
		h.jobs = append(h.jobs, &jobFacts{})
	}
	return h.jobs[id]
}

func (h *history) emittedAs(epoch int64) *run.Command {
	if epoch <= 0 || epoch >= int64(len(h.emitted)) {
		return nil
	}
	return h.emitted[epoch]
}

// moment is one step, as the invariants look at it.
type moment struct {
	*history
	before, after *run.State
	ev            run.Input
	commands      []run.Command
	answered      *run.Command // the command that the event answers, if it was outstanding
}

// observe holds one step to every invariant.
func (h *history) observe(before, after *run.State, ev run.Input, commands []run.Command) {
	if h.recording {
		h.entries = append(h.entries, Entry{Event: ev, Commands: commands})
	}
	m := moment{history: h, before: before, after: after, ev: ev, commands: commands}
	if c, ok := before.Outstanding(ev.Epoch); ok && c.Kind.Answer() == ev.Kind {
		m.answered = &c
	}
	m.learn()
	for _, inv := range Invariants {
		if what := inv.Check(&m); what != "" {
			h.fail(inv.N, what)
		}
	}
	m.remember()
}

// learn takes in what the event says about the world, before the commands that
// follow from it are judged.
func (m *moment) learn() {
	c := m.answered
	if c == nil {
		return
	}
	f := m.job(c.Job)
	switch {
	case c.Kind == run.Prepare && m.ev.Outcome == run.OK:
		f.base = place{m.ev.Tree, m.ev.Environment}
		if f.begun = c.Carry != ""; !f.begun { // what it carries was begun, and proved, elsewhere
			f.proved, f.baseline = "", ""
		}
	case c.Kind == run.Prove:
		f.proved, f.provedAt = m.ev.Outcome, c.Epoch
	case c.Kind == run.Integrate && m.ev.Moot && (m.ev.Outcome == run.Green || m.ev.Outcome == run.Empty):
		f.moot = true
		m.learnVerdict(c, f)
	case c.Kind == run.Gate && c.Scope == "full" && c.Tree != "":
		if f.baseline = m.ev.Outcome; m.ev.Outcome == run.Green || m.ev.Outcome == run.Empty {
			m.green = append(m.green, place{c.Tree, f.base.environment})
		}
	case c.Kind == run.Integrate:
		m.learnVerdict(c, f)
	case c.Kind == run.Commit && m.ev.Outcome == run.OK:
		f.commit, f.tree = m.ev.Commit, m.ev.Tree
	case c.Kind == run.Checkpoint && m.ev.Outcome == run.OK:
		f.unsaved = false
	case c.Kind == run.Revert && m.ev.Outcome == run.OK:
		f.reverted = true
	case c.Kind == run.StartSession && m.phase(c.Job) != run.Saving && m.phase(c.Job) != run.Ending:
		f.unsaved = true
	}
}

// learnVerdict takes in what the clean worktree said.
func (m *moment) learnVerdict(c *run.Command, f *jobFacts) {
	switch m.ev.Outcome {
	case run.Green:
		m.green = append(m.green, place{m.ev.Tree, m.ev.Environment})
		f.verified = append(f.verified, verification{m.ev.Tree, m.ev.Evidence})
		f.confirmed = c.Base
	case run.Empty:
		f.unjudged = append(f.unjudged, m.ev.Tree)
	default:
	}
}

// remember keeps what was asked for.
func (m *moment) remember() {
	for i := range m.commands {
		c := m.commands[i]
		for int64(len(m.emitted)) <= c.Epoch {
			m.emitted = append(m.emitted, nil)
		}
		m.emitted[c.Epoch] = &c
		f := m.job(c.Job)
		f.feature, f.known = c.Feature, c.Job > 0
		switch c.Kind {
		case run.StartSession:
			if c.Adopts == 0 {
				f.sessions++
				f.unsaved, f.reverted, f.begun, f.moves = true, false, true, false
			}
		case run.Ledger:
			m.ledgers[c.Epoch] = c
		case run.Revert, run.Prepare:
			m.salvages[c.Salvage] = c.Epoch
		default:
		}
	}
}

// phase is where the job was before the step.
func (m *moment) phase(job int) run.Phase {
	for _, j := range m.before.Jobs {
		if j.ID == job {
			return j.Phase
		}
	}
	return ""
}

func (m *moment) jobAfter(id int) *run.Job {
	for i := range m.after.Jobs {
		if m.after.Jobs[i].ID == id {
			return &m.after.Jobs[i]
		}
	}
	return nil
}

// changed tells whether the step did anything at all.
func (m *moment) changed() bool {
	return len(m.commands) > 0 || !reflect.DeepEqual(*m.before, *m.after)
}

func (h *history) isGreen(p place) bool { return slices.Contains(h.green, p) }
