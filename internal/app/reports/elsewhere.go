package reports

import (
	"context"
	"os"
	"time"

	"kedge/internal/agents/catalog"
	"kedge/internal/agents/record"
	"kedge/internal/app/projects"
	"kedge/internal/insight/audit"
	"kedge/internal/insight/transcript"
)

// elsewhere counts the transcripts of all folders of this machine.
func elsewhere(ctx context.Context, who projects.Caller, agent string, env map[string]string) int {
	files, err := catalog.Transcripts().Find(ctx, transcript.Where{
		Dirs: record.Folders(who.Dir), All: true, Agent: agent, Getenv: func(name string) string { return env[name] },
	})
	if err != nil {
		return 0 // it is only a hint
	}
	return len(files)
}

// missed says of a request for costs that found nothing what it left out: transcripts that
// ended before its time, or those of other folders.
func (s *Reports) missed(ctx context.Context, who projects.Caller, in CostRequest, read []audit.Figures) (older *OlderFiles, others int) {
	env := named(in.Env)
	if len(env) == 0 {
		return nil, 0 // nobody says where they are
	}
	seen := map[string]bool{}
	for _, f := range read {
		if seen[f.File] = true; f.EndedAt != nil {
			older = older.with(*f.EndedAt)
		}
	}
	files, err := catalog.Transcripts().Find(ctx, transcript.Where{
		Dirs: record.Folders(who.Dir), Branch: record.Branches(who.Dir), All: in.All, Agent: in.Agent, Getenv: func(name string) string { return env[name] },
	})
	if err != nil {
		return older, 0
	}
	for _, f := range files {
		if fi, err := os.Stat(f.Path); err == nil && !seen[f.Path] {
			older = older.with(fi.ModTime().UTC().Format(time.RFC3339))
		}
	}
	if older == nil && !in.All {
		others = elsewhere(ctx, who, in.Agent, env)
	}
	return older, others
}
