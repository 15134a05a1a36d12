package memory

import (
	"context"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	docs "kedge/internal/core/memory"
	"kedge/internal/text/words"
)

// RulesLintRequest asks for a lint of rules.md; a Cap of 0 is the default.
type RulesLintRequest struct {
	Cap int `json:"cap,omitempty"`
}

// RulesLintReply is what the lint found.
type RulesLintReply struct {
	File string `json:"file"`
	docs.RulesReport
}

// RulesLint checks order and size of the rules in the folder.
func (s *Memory) RulesLint(ctx context.Context, who projects.Caller, in RulesLintRequest) (RulesLintReply, error) {
	if in.Cap < 0 {
		return RulesLintReply{}, kedge.Errorf(kedge.Invalid, "--cap must be a positive number of tokens, not %d", in.Cap).WithHint("repeat your command with the usual limit: kedge rules lint --cap %d", docs.RulesCap)
	}
	b, err := s.readRules(ctx, who)
	if err != nil {
		return RulesLintReply{}, err
	}
	return RulesLintReply{File: ledger.RulesFile, RulesReport: docs.LintRules(ledger.RulesFile, b, in.Cap)}, nil
}

// RulesShowRequest asks for the rules.
type RulesShowRequest struct{}

// RulesShowReply is the rules, byte for byte.
type RulesShowReply struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
	Tokens int    `json:"tokens"`
	Text   string `json:"text"`
}

// RulesShow gives the rules in the folder.
func (s *Memory) RulesShow(ctx context.Context, who projects.Caller, _ RulesShowRequest) (RulesShowReply, error) {
	b, err := s.readRules(ctx, who)
	if err != nil {
		return RulesShowReply{}, err
	}
	return RulesShowReply{File: ledger.RulesFile, SHA256: projects.Sum(b), Tokens: words.Tokens(string(b)), Text: string(b)}, nil
}

func (s *Memory) readRules(ctx context.Context, who projects.Caller) ([]byte, error) {
	p, err := s.home.Open(ctx, who)
	if err != nil {
		return nil, err
	}
	b, ok, err := p.Read(ledger.RulesFile)
	if err == nil && !ok {
		err = kedge.Errorf(kedge.NotFound, "the project has no file %q", ledger.RulesFile).WithHint("let Kedge write the file: kedge init")
	}
	return b, err
}
