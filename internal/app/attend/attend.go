// Package attend answers the hooks of agents that you drive by hand. A conversation gets
// its brief when it begins and after each compaction. When its agent says "done", the
// gate has to be green. Events that hooks stored while the daemon was down go into the
// journal, in order and once. At the end of its work, an agent has to continue at most
// once. An event is recorded under a session only if it came from that session. The
// package never changes features, plan or memory, and ignores sessions of runs.
package attend

import (
	"context"
	"errors"
	"sync"
	"time"

	"kedge"

	"kedge/internal/app/projects"
	"kedge/internal/app/reports"
	"kedge/internal/app/sessions"
	"kedge/internal/app/status"
	"kedge/internal/app/verify"
	"kedge/internal/journal/spool"
)

// Attendant answers for the projects of one KEDGE_HOME.
type Attendant struct {
	home     *projects.Home
	life     *projects.Life
	status   *status.Reporter
	verifier *verify.Verifier
	reports  *reports.Reports
	sessions *sessions.Manager

	taking sync.Mutex    // held while the spool is taken
	called chan struct{} // has something in it when hooks left something and wait for nobody

	watching watching

	mu     sync.Mutex
	worked map[string]bool   // conversations that began, and whether they used a tool that may change something
	told   map[string]string // the words of a person for which a conversation was last told to go on

	refused map[string]bool // conversations, with the session that they named and are not of
}

// New makes an Attendant. It reads nothing before the first call.
func New(home *projects.Home, life *projects.Life, st *status.Reporter, v *verify.Verifier, r *reports.Reports, m *sessions.Manager) *Attendant {
	return &Attendant{
		home: home, life: life, status: st, verifier: v, reports: r, sessions: m,
		called: make(chan struct{}, 1), worked: map[string]bool{}, told: map[string]string{}, refused: map[string]bool{},
	}
}

// someAgent is the session of an agent that runs in no session of Kedge.
const someAgent = kedge.SessionID("ses-00000000000000000000000000")

// asAgent gives the caller as an agent. A hook is called by an agent, even in a terminal
// of yours.
func asAgent(who projects.Caller) projects.Caller {
	if !who.IsAgent() {
		who.Actor = kedge.Agent(someAgent)
	}
	return who
}

// inRun tells whether the caller's session belongs to a run.
func inRun(ctx context.Context, p *projects.Project, who projects.Caller) (bool, error) {
	ses, _, err := projects.RunSessionOf(ctx, p.Store, who)
	return ses != nil, err
}

// takeEvery is how often the spool is looked at when nobody calls.
const takeEvery = time.Minute

// gathering is how long what hooks left lies before it is taken, where none of them
// waits for it: agents call them one after another, and each time the daemon would
// be in the next one's way.
const gathering = 100 * time.Millisecond

// HooksLeft schedules taking what hooks left, for hooks that do not wait.
func (s *Attendant) HooksLeft() {
	select {
	case s.called <- struct{}{}:
	default: // somebody has said so already
	}
}

// TakeSoon takes what hooks left while there was no daemon, and from then on whatever
// they leave. It also looks once a minute: a hook that could not reach the daemon leaves
// something too.
func (s *Attendant) TakeSoon() {
	s.life.Go(func() {
		tick := time.NewTicker(takeEvery)
		defer tick.Stop()
		var since trouble
		for {
			s.takeOrLater(&since)
			select {
			case <-tick.C:
			case <-s.called:
				s.gather()
			case <-s.life.Context().Done():
				return
			}
		}
	})
}

// trouble is what has been in the way of taking since it last went well.
type trouble struct {
	busy int    // how often a hook was at it
	said string // what was written down last
}

// busyTries is how often a hook that is just leaving something is waited for; one
// that somebody has stopped is not, beyond the next tick.
const busyTries = 10

// takeOrLater takes what hooks left; what one of them is just leaving, soon after.
// The same complaint is written down once.
func (s *Attendant) takeOrLater(since *trouble) {
	_, err := s.take(s.life.Context())
	switch {
	case err == nil:
		*since = trouble{}
	case s.life.Context().Err() != nil:
	case errors.Is(err, spool.ErrBusy) && since.busy < busyTries:
		since.busy++
		s.HooksLeft()
	case err.Error() != since.said:
		since.said = err.Error()
		s.home.Log.Error("cannot read the events of agents' hooks", "error", since.said)
	}
}

// gather waits for what else may come.
func (s *Attendant) gather() {
	select {
	case <-time.After(gathering):
	case <-s.life.Context().Done():
	}
}
