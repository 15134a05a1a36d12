package resume

import "kedge/internal/insight/audit"

// Typed gives what a person wrote in a text of their side, without what the program put
// around it; empty where the program wrote all of it, and where it is a summary.
func Typed(e *audit.Entry) string {
	switch s := sorted(e); s.kind {
	case saidAsk, saidSteering, saidShell:
		return s.text
	case saidNothing, saidStop, saidSummary:
	}
	return ""
}
