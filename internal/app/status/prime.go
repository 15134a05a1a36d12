package status

import (
	"bytes"
	"context"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/core/brief"
	docs "kedge/internal/core/memory"
	"kedge/internal/journal"
	"kedge/internal/text/redact"
	"kedge/internal/text/words"
)

// PrimeRequest asks for the text a session starts with. A budget of 0 is the
// default one.
type PrimeRequest struct {
	Budget int `json:"budget,omitempty"`
}

// PrimeReply is the brief.
type PrimeReply struct {
	brief.Brief
	Budget int `json:"budget"`
}

// Prime builds the brief from the journal and the folder; it changes nothing.
func (s *Reporter) Prime(ctx context.Context, who projects.Caller, in PrimeRequest) (PrimeReply, error) {
	budget := in.Budget
	if budget == 0 {
		budget = brief.DefaultBudget
	}
	if budget < 0 {
		return PrimeReply{}, kedge.Errorf(kedge.Invalid, "--budget must be a positive number of tokens, not %d", budget).WithHint("repeat your command with the usual budget: kedge prime --budget %d", brief.DefaultBudget)
	}
	p, err := s.home.Open(ctx, who)
	if err != nil {
		return PrimeReply{}, err
	}
	input, err := s.BriefInput(ctx, p, who)
	if err != nil {
		return PrimeReply{}, err
	}
	b := brief.Prime(input, budget)
	if b.Tokens > budget {
		return PrimeReply{}, kedge.Errorf(kedge.Invalid, "the project's rules and the next feature alone need %d tokens, and --budget allows only %d", b.Tokens, budget).
			WithHint("allow this many: kedge prime --budget %d", b.Tokens)
	}
	b.Text = redact.Text(b.Text)
	return PrimeReply{Brief: b, Budget: budget}, nil
}

// BriefInput gathers what a brief is built from.
func (s *Reporter) BriefInput(ctx context.Context, p *projects.Project, who projects.Caller) (brief.Input, error) {
	st, err := s.stateOf(ctx, p, who)
	if err != nil {
		return brief.Input{}, err
	}
	in := brief.Input{
		Project: p.Title(), Next: &st.Next, Checklist: st.Checklist(), Handoff: st.handoff, Decisions: st.Decisions, Risks: st.Risks,
	}
	if in.Rules, in.RulesFrom, err = s.rulesOf(ctx, p, who, st); err != nil {
		return in, err
	}
	if in.Checkpoint, err = projects.Latest[kedge.Checkpoint](ctx, p, journal.KindCheckpoint); err != nil {
		return in, err
	}
	if in.Checkpoint != nil {
		in.Checkpoint.Files = brief.Compare(in.Checkpoint.Files, func(path string) (string, bool) { return FileHash(p, path) })
		in.Checkpoint.RuledOut = docs.StillRejected(st.Decisions, in.Checkpoint.RuledOut)
	}
	if in.Handoff != nil {
		in.Handoff.RuledOut = docs.StillRejected(st.Decisions, in.Handoff.RuledOut)
	}
	if in.Failed, err = failedAttempts(ctx, p, st.Next.Feature); err != nil {
		return in, err
	}
	if in.Drift, in.DriftUnknown, err = s.drift(ctx, p, st); err != nil {
		return in, err
	}
	in.Notes, err = projects.All[kedge.Note](ctx, p, journal.KindNote)
	return in, err
}

// rulesOf reads the rules. A person gets them as they stand in the folder. An
// agent, who could have edited them there, gets those of the last commit.
func (s *Reporter) rulesOf(ctx context.Context, p *projects.Project, who projects.Caller, st State) (rules []byte, from string, err error) {
	here, ok, err := p.Read(ledger.RulesFile)
	if err != nil {
		return nil, "", err
	}
	if !ok {
		here = nil
	}
	committed, ok := s.committedRules(ctx, p, st)
	commit := "commit " + words.Hash(st.head.Commit)
	switch {
	case ok && (who.IsAgent() || bytes.Equal(here, committed)):
		return committed, commit, nil
	case ok:
		return here, "the folder, changed since " + commit, nil
	default:
		return here, "the folder", nil
	}
}

func (s *Reporter) committedRules(ctx context.Context, p *projects.Project, st State) ([]byte, bool) {
	if st.head.Commit == "" {
		return nil, false
	}
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return nil, false
	}
	b, err := repo.ReadFile(ctx, st.head.Commit, ledger.RulesFile)
	return b, err == nil
}

// failedAttempts gives the red verdicts that a feature got, so that nobody tries
// the same again.
func failedAttempts(ctx context.Context, p *projects.Project, f *kedge.Feature) ([]kedge.Evidence, error) {
	if f == nil {
		return nil, nil
	}
	list, err := journal.About[kedge.Evidence](ctx, p.Store, journal.KindEvidence, string(f.ID))
	var out []kedge.Evidence
	for _, e := range list {
		if !e.Verdict.Green() && e.JudgesWork() {
			out = append(out, e)
		}
	}
	return out, err
}
