package follow

import (
	"context"

	"kedge"
	"kedge/internal/agents"
	"kedge/internal/agents/catalog"
	"kedge/internal/core/watch"
	"kedge/internal/insight/audit"
	"kedge/internal/insight/transcript"
	"kedge/internal/process"
	"kedge/internal/process/hold"
	"kedge/internal/process/tape"
)

// makeGood takes in what a session used that was ended before its program told it:
// some tell of a reply when its tools are over, and write it down before. The
// program's own record is believed only where it has everything that was told.
func (s *session) makeGood(ctx context.Context, f hold.Found) {
	if f.Result != nil && s.reader.Exit(f.Result.Code, f.Result.Cause).Meaning == agents.Finished {
		return
	}
	from, _, err := s.tape()
	if err != nil {
		return // it never printed anything
	}
	env := s.asked.Env()
	wrote, err := catalog.Transcripts().SpentSince(ctx, transcript.Where{
		Agent: s.adapter.Kind(), Getenv: func(name string) string { return process.Getenv(env, name) },
	}, s.conversation(), s.printed(tape.Open(s.dir), from))
	if err != nil {
		s.cfg.log().Warn("cannot read the agent's transcript of a session that ended", "session", string(s.id), "error", err.Error())
		return
	}
	more := wrote.Sum.Minus(toldSoFar(s.use.kinds))
	if wrote.Replies == 0 || more == (audit.Usage{}) || min(more.Input, more.CacheRead, more.CacheWrite, more.Hour, more.Output) < 0 {
		return
	}
	all := wrote.Last.Context() + wrote.Last.Output
	s.happened(ctx, watch.Act{Kind: watch.Usage, At: s.cfg.Now(), Used: &watch.Used{
		Input: &more.Input, CacheRead: &more.CacheRead, CacheWrite: &more.CacheWrite, CacheWriteHour: &more.Hour, Output: &more.Output, Context: &all, Model: wrote.Model,
	}})
}

func toldSoFar(k *kedge.TokenKinds) audit.Usage {
	if k == nil {
		return audit.Usage{}
	}
	return audit.Usage{Input: k.Input, CacheRead: k.CacheRead, CacheWrite: k.CacheWrite, Output: k.Output, Hour: k.CacheWriteHour}
}
