package service

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"kedge"
	docs "kedge/internal/ledger"
)

// logPage is how many events are read at a time, backwards, to find those that
// the log of progress.md does not have yet.
const logPage = 200

// facts are what progress.md is generated from.
func (m memory) facts(l ledger, log []docs.LogEntry) docs.Facts {
	return docs.Facts{Features: l.features(), Risks: m.risks, Decisions: m.decisions, Log: log}
}

// projectProgress brings progress.md up to the journal after evs were added.
func (s *Service) projectProgress(ctx context.Context, p *project, evs []kedge.Event) error {
	p.writing.Lock()
	defer p.writing.Unlock()
	return s.writeProgress(ctx, p, evs)
}

func (s *Service) writeProgress(ctx context.Context, p *project, evs []kedge.Event) error {
	m, err := readMemory(ctx, p)
	if err != nil {
		return err
	}
	l, err := readLedger(ctx, p)
	if err != nil {
		return err
	}
	old, _, err := p.read(progressFile)
	if err != nil {
		return err
	}
	log, err := missingLog(ctx, p, string(old), evs)
	if err != nil {
		return err
	}
	b := docs.WriteProgress(old, m.facts(l, log))
	if sameText(old, b) {
		return nil
	}
	return s.putProjected(p, progressFile, b)
}

// missingLog gives the entries of evs and of the events before them, back to one
// that the file has: after a crash between journal and projection, or on a
// branch that is behind, there are more than those just added.
func missingLog(ctx context.Context, p *project, old string, evs []kedge.Event) ([]docs.LogEntry, error) {
	if len(evs) == 0 {
		return nil, nil
	}
	var out []docs.LogEntry
	for end := evs[len(evs)-1].Seq; end > 0; end -= logPage {
		page, err := p.store.Events(ctx, max(0, end-logPage), int(min(logPage, end)))
		if err != nil {
			return nil, err
		}
		var entries []docs.LogEntry
		met := false
		for _, ev := range page {
			if text := logText(ev); text != "" {
				e := docs.LogEntry{At: ev.At, Text: text}
				met = met || strings.Contains(old, docs.LogLine(e)+"\n")
				entries = append(entries, e)
			}
		}
		out = append(entries, out...)
		if met {
			break
		}
	}
	return out, nil
}

// logText is an event as a line of the log; empty for what is not progress.
func logText(ev kedge.Event) string {
	switch ev.Type {
	case kedge.FeatureStatus:
		return said(ev, func(d kedge.FeatureStatusData) string {
			return logPhrase("feature "+string(d.ID)+" "+string(d.Status), d.Reason)
		})
	case kedge.FeatureAmended:
		return said(ev, func(d kedge.FeatureAmendedData) string {
			return logPhrase("feature "+string(d.ID)+" amended", d.Reason)
		})
	case kedge.PlanSaved:
		return said(ev, func(d kedge.PlanData) string { return "plan " + string(d.ID) + " " + string(d.Status) })
	case kedge.RiskOpened:
		return said(ev, func(d kedge.Risk) string { return logPhrase("risk "+string(d.ID)+" opened", d.Text) })
	case kedge.RiskClosed:
		return said(ev, func(d kedge.RiskClosedData) string { return logPhrase("risk "+string(d.ID)+" closed", d.Reason) })
	}
	return ""
}

// said tells what an event's data says; one that this build cannot read says
// nothing, and is still in the journal.
func said[T any](ev kedge.Event, tell func(T) string) string {
	var d T
	if json.Unmarshal(ev.Data, &d) != nil {
		return ""
	}
	return tell(d)
}

func logPhrase(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ": ")
}
