package status

import (
	"context"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/core/brief"
	"kedge/internal/journal"
)

// HandoffSaveRequest is what the ending session passes on. Without files, it lists those
// that differ from the last commit; without a next step, the next feature.
type HandoffSaveRequest struct {
	Percent     int              `json:"percent"`
	State       string           `json:"state"`
	Files       []string         `json:"files,omitempty"` // from the caller's folder
	Approach    string           `json:"approach"`
	Constraints []string         `json:"constraints,omitempty"`
	RuledOut    []kedge.Rejected `json:"ruled_out,omitempty"`
	Next        string           `json:"next,omitempty"`
	BlockedOn   string           `json:"blocked_on,omitempty"`
}

// HandoffShowRequest names a handoff; empty is the latest.
type HandoffShowRequest struct {
	ID kedge.CheckpointID `json:"id,omitempty"`
}

// HandoffReply is a handoff.
type HandoffReply struct {
	kedge.Handoff
	Path  string   `json:"path"`
	Moved []string `json:"moved"` // lines found above the end marker, now below it
	ledger.Notices
	Text string `json:"text"`
}

// HandoffSave records a handoff in the journal and writes handoff.md. It contains every
// open risk.
func (s *Reporter) HandoffSave(ctx context.Context, who projects.Caller, in HandoffSaveRequest) (HandoffReply, error) {
	p, evs, notices, err := s.ledger.Change(ctx, who, func(p *projects.Project, _ ledger.Snapshot) ([]kedge.Event, error) {
		h, moved, err := s.newHandoff(ctx, p, who, in)
		if err != nil {
			return nil, err
		}
		evs, err := s.savedEvents(ctx, p, who, kedge.HandoffSaved, h, "handoff")
		return withMoved(evs, err, who, ledger.HandoffFile, moved)
	})
	if err != nil {
		return HandoffReply{}, err
	}
	h, err := projects.DataOf[kedge.Handoff](evs, kedge.HandoffSaved)
	if err != nil {
		return HandoffReply{}, err
	}
	s.keepSeen(ctx, p, evs)
	left, err := s.ledger.WriteLatest(ctx, p)
	if err != nil {
		return HandoffReply{}, err
	}
	notices.Warnings = ledger.MergeWarnings(notices.Warnings, left)
	r, err := handoffReply(h)
	notices.Unlanded = s.ledger.Unlanded(ctx, p, r.Path, []byte(r.Text))
	r.Moved, r.Notices = movedLines(evs), notices
	return r, err
}

// HandoffShow gives a handoff.
func (s *Reporter) HandoffShow(ctx context.Context, who projects.Caller, in HandoffShowRequest) (HandoffReply, error) {
	p, err := s.home.Open(ctx, who)
	if err != nil {
		return HandoffReply{}, err
	}
	h, err := Saved[kedge.Handoff](ctx, p, journal.KindHandoff, string(in.ID))
	if err != nil {
		return HandoffReply{}, err
	}
	return handoffReply(h)
}

// HandoffLint checks a handoff file as it is in the folder.
func (s *Reporter) HandoffLint(ctx context.Context, who projects.Caller, in LintRequest) (LintReply, error) {
	p, err := s.home.Open(ctx, who)
	if err != nil {
		return LintReply{}, err
	}
	name, b, err := document(p, who, in.File, ledger.HandoffFile)
	if err != nil {
		return LintReply{}, err
	}
	return lintReply(name, brief.LintHandoff(name, b)), nil
}

func (s *Reporter) newHandoff(ctx context.Context, p *projects.Project, who projects.Caller, in HandoffSaveRequest) (kedge.Handoff, []string, error) {
	now := s.home.Now()
	h := kedge.Handoff{
		ID: kedge.CheckpointID(kedge.NewID("ckp", now)), At: now, Percent: in.Percent, State: in.State, Approach: in.Approach,
		Constraints: in.Constraints, RuledOut: in.RuledOut, Next: in.Next, BlockedOn: in.BlockedOn,
	}
	st, err := s.stateOf(ctx, p, who)
	if err != nil {
		return h, nil, err
	}
	h.Session, h.Risks = st.session.ID, st.RiskTexts()
	if h.Next == "" {
		h.Next = ResumeText("", st.Next, false)
	}
	if h.Files, err = s.handoffFiles(ctx, p, who, st, in.Files); err != nil {
		return h, nil, err
	}
	var moved []string
	h.HumanNotes, moved, err = humanNotes(p, ledger.HandoffFile, func() ([]byte, error) {
		if st.handoff == nil {
			return nil, nil
		}
		return brief.WriteHandoff(*st.handoff)
	}, func(b []byte) error { _, err := brief.ParseHandoff(ledger.HandoffFile, b); return err })
	if err != nil {
		return h, nil, err
	}
	if h, err = Redacted(h); err != nil {
		return h, nil, err
	}
	h, fits := brief.FitHandoff(h)
	if !fits {
		return h, nil, kedge.Errorf(kedge.Invalid, "the handoff is too long, so Kedge did not save it: the limit is %d tokens", brief.MaxHandoff).
			WithHint("shorten the texts, and put what you learned into a note: kedge remember TEXT")
	}
	_, err = brief.WriteHandoff(h)
	return h, moved, err
}

// handoffFiles are the files a session says it modified, gone ones included.
func (s *Reporter) handoffFiles(ctx context.Context, p *projects.Project, who projects.Caller, st State, named []string) ([]string, error) {
	if len(named) == 0 {
		changed, err := s.changedSinceCommit(ctx, p, st)
		return changed[:min(len(changed), MaxReread)], err
	}
	var out []string
	for _, name := range named {
		path, err := inside(p, who, name)
		if err != nil {
			return nil, err
		}
		out = append(out, path)
	}
	return out, nil
}

func handoffReply(h kedge.Handoff) (HandoffReply, error) {
	text, err := brief.WriteHandoff(h)
	return HandoffReply{Handoff: h, Path: ledger.HandoffFile, Moved: []string{}, Text: string(text)}, err
}
