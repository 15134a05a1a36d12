package landing

import (
	"context"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	docs "kedge/internal/core/memory"
	"kedge/internal/text/lazyre"
)

// Replaceable tells whether a file of the user's checkout may be replaced when a
// run lands: Kedge wrote it from the journal, and nothing that people wrote into
// it would be lost.
func (s *Landing) Replaceable(ctx context.Context, p *projects.Project, path string) bool {
	b, ok, err := p.Read(path)
	if err != nil || !ok {
		return false
	}
	if path == ledger.ProgressFile {
		return s.book.Projected(p)[projects.Sum(b)] && s.noWordsLost(ctx, p, b)
	}
	list, err := s.book.Projections(ctx, p)
	if err != nil {
		return false
	}
	i := slices.IndexFunc(list, func(pr ledger.Projection) bool { return pr.Path == path })
	return i >= 0 && list[i].Ours(string(b))
}

// noWordsLost tells whether everything that people wrote into progress.md is in
// the last commit too.
func (s *Landing) noWordsLost(ctx context.Context, p *projects.Project, now []byte) bool {
	here, err := docs.ParseProgress(ledger.ProgressFile, now)
	if err != nil {
		return false
	}
	words := peoplesWords(here, string(now))
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return false
	}
	b, err := repo.ReadFile(ctx, "HEAD", ledger.ProgressFile)
	if kedge.NotFound.Is(err) {
		return len(words) == 0
	}
	then, parseErr := docs.ParseProgress(ledger.ProgressFile, b)
	if err != nil || parseErr != nil {
		return false
	}
	known := peoplesWords(then, string(b))
	return !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(known, w) })
}

// logged is a line of the log that Kedge writes.
var logged = lazyre.New(`^- [0-9]{4}-[0-9]{2}-[0-9]{2}T`)

// peoplesWords are the lines of progress.md that people wrote.
func peoplesWords(p docs.Progress, text string) []string {
	var out []string
	add := func(lines string) {
		for l := range strings.SplitSeq(lines, "\n") {
			if l = strings.TrimSpace(l); l != "" && l != "# Progress" && !strings.HasPrefix(l, "<!-- kedge:") {
				out = append(out, l)
			}
		}
	}
	head, _, _ := strings.Cut(text, "\n## ")
	add(head)
	for _, sec := range p.Sections {
		add(sec.People)
	}
	for _, l := range p.Log {
		if !logged.MatchString(l) {
			add(l)
		}
	}
	return out
}
