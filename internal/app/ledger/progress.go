package ledger

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/app/projects"
	docs "kedge/internal/core/memory"
)

// logReach is how many events are read at least, and in what steps, to find those that
// the log of progress.md lacks. It reads past the first one that the log has, because
// two events of one minute can give the same line.
const logReach = 200

// facts gives what progress.md is generated from.
func (m Memory) facts(l Snapshot, log []docs.LogEntry) docs.Facts {
	return docs.Facts{Features: l.Features(), Risks: m.Risks, Decisions: m.Decisions, Log: log}
}

// writeProgress writes progress.md from the journal. A project without features, risks
// and decisions gets none.
func (s *Ledger) writeProgress(ctx context.Context, p *projects.Project, m Memory, l Snapshot, u *failures) error {
	old, ok, err := p.Read(ProgressFile)
	if err != nil {
		u.add(ProgressFile, err)
		return nil
	}
	if !ok && len(l.Docs) == 0 && len(m.Risks) == 0 && len(m.Decisions) == 0 {
		return nil
	}
	log, err := s.logFor(ctx, p, old)
	if err != nil {
		return err
	}
	if b := docs.WriteProgress(old, m.facts(l, log)); !SameText(old, ToLF(b)) {
		u.add(ProgressFile, s.WriteFile(p, ProgressFile, b))
	}
	return nil
}

// logFor gives the log entries for a progress.md: those that it lacks, or all of them if
// Kedge did not write this text. Then somebody may have removed older ones.
func (s *Ledger) logFor(ctx context.Context, p *projects.Project, old []byte) ([]docs.LogEntry, error) {
	if s.Projected(p)[projects.Sum(ToLF(old))] {
		return missingLog(ctx, p, string(old))
	}
	return missingLog(ctx, p, "")
}

// missingLog gives the log entries of the newest events, back to one that the file has.
// Mostly that is the entries just added; after a crash, or on a branch that is behind,
// it is more.
func missingLog(ctx context.Context, p *projects.Project, old string) ([]docs.LogEntry, error) {
	var out []docs.LogEntry
	met, read := false, 0
	for ev, err := range p.Store.Backwards(ctx) {
		if err != nil {
			return nil, err
		}
		if met && read%logReach == 0 {
			break
		}
		read++
		if text := logText(ev); text != "" {
			e := docs.LogEntry{At: ev.At, Text: text}
			met = met || strings.Contains(old, docs.LogLine(e))
			out = append(out, e)
		}
	}
	slices.Reverse(out)
	return out, nil
}

// logText gives an event as a line of the log, or "" for the events that are no
// progress.
func logText(ev kedge.Event) string {
	switch ev.Type {
	case kedge.FeatureStatus:
		return said(ev, func(d kedge.FeatureStatusData) string {
			if d.Status == kedge.Pending && d.Reason == "" {
				return "" // how a feature begins
			}
			return logPhrase("feature "+string(d.ID)+" "+string(d.Status), d.Reason)
		})
	case kedge.FeatureAmended:
		return said(ev, func(d kedge.FeatureAmendedData) string {
			return logPhrase("feature "+string(d.ID)+" amended", d.Reason)
		})
	case kedge.PlanSaved:
		return said(ev, func(d kedge.PlanData) string {
			if d.Status == kedge.PlanDrafting || d.Status == kedge.PlanWaiting {
				return "" // nothing to go by yet
			}
			return "plan " + string(d.ID) + " " + string(d.Status)
		})
	case kedge.RiskOpened:
		return said(ev, func(d kedge.Risk) string { return logPhrase("risk "+string(d.ID)+" opened", d.Text) })
	case kedge.RiskClosed:
		return said(ev, func(d kedge.RiskClosedData) string { return logPhrase("risk "+string(d.ID)+" closed", d.Reason) })
	default:
		return ""
	}
}

// said gives what an event's data says, or "" if this build cannot read the data.
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
