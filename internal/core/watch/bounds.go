package watch

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"kedge"

	"kedge/internal/text/glob"
)

// bounds is what the session did against them.
type bounds struct {
	outside []string // paths that were told of
	against []string // rules that were told of
}

func (w *Watcher) feedBounds(ev Act) []Signal {
	if ev.Kind != Call {
		return nil
	}
	var out []Signal
	for _, p := range ev.Paths {
		if w.outside(p) && !slices.Contains(w.bounds.outside, p) && len(w.bounds.outside) < maxActs {
			w.bounds.outside = append(w.bounds.outside, p)
			out = append(out, Signal{Kind: Scope, Reason: "it edits " + short(p) + ", which is outside the feature"})
		}
	}
	for _, r := range w.limits.Rules {
		if what := r.broken(ev); what != "" && !slices.Contains(w.bounds.against, r.Name) {
			w.bounds.against = append(w.bounds.against, r.Name)
			out = append(out, w.drifted(r, what))
		}
	}
	return out
}

// drifted is written down the first time. Who goes against two things that were
// settled has lost sight of its brief, and a fresh session has not.
func (w *Watcher) drifted(r Rule, what string) Signal {
	s := Signal{Kind: Drift, Reason: what + " goes against " + short(r.Name)}
	if len(w.bounds.against) > 1 {
		s.Advice = HandOff
	}
	return s
}

// outside tells whether a path is none of the feature's. A path out of the work
// tree is nobody's.
func (w *Watcher) outside(p string) bool {
	switch {
	case kedge.IsOwnPath(p): // what a session changes there counts for no feature
		return true
	case path.IsAbs(p) || p == ".." || strings.HasPrefix(p, "../"):
		return true
	case len(w.limits.Paths) == 0:
		return false
	default:
		return !matches(w.limits.Paths, p)
	}
}

func matches(globs []string, p string) bool {
	return slices.ContainsFunc(globs, func(g string) bool { return glob.Match(g, p) })
}

// broken says what in a call goes against the rule; empty when nothing does.
func (r Rule) broken(ev Act) string {
	for _, p := range ev.Paths {
		if matches(r.Paths, p) {
			return "editing " + short(p)
		}
	}
	if len(ev.Paths) > 0 && len(r.Within) > 0 && !slices.ContainsFunc(ev.Paths, func(p string) bool { return matches(r.Within, p) }) {
		return ""
	}
	text := " " + plainWords(ev.Input) + " "
	for _, phrase := range r.Words {
		if want := plainWords(phrase); len(want) >= minPhrase && strings.Contains(text, " "+want+" ") {
			return "using " + short(phrase)
		}
	}
	return ""
}

// minPhrase is the shortest text that is looked for: less is found everywhere.
const minPhrase = 4

// plainWords is a text as its words in lower case, so that spacing and quotes do
// not matter.
func plainWords(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '_' || r == '-' || r == '.' || r == '/' || r > 127)
	}), " ")
}

// ConstraintRules reads rules out of constraints as people write them: what
// stands between back-quotes in a sentence that forbids something. A path (or a
// pattern of paths) may not be changed, anything else not be run.
func ConstraintRules(constraints []string) []Rule {
	forbids := regexp.MustCompile(`(?i)\b(never|must not|do not|don't|no one may|nobody may)\b`)
	quoted := regexp.MustCompile("`([^`\n]{2,200})`")
	var out []Rule
	for _, line := range constraints {
		if !forbids.MatchString(line) {
			continue
		}
		r := Rule{Name: strings.TrimLeft(strings.TrimSpace(line), "-*0123456789. ")}
		for _, m := range quoted.FindAllStringSubmatch(line, -1) {
			r.forbid(m[1])
		}
		if len(r.Paths)+len(r.Words) > 0 {
			out = append(out, r)
		}
	}
	return out
}

// RejectedRule is the rule that a decision makes of what it rejected: within the
// paths it applies to, that is not done after all.
func RejectedRule(name string, appliesTo, rejected []string) Rule {
	r := Rule{Name: name, Within: appliesTo}
	for _, what := range rejected {
		r.forbid(what)
	}
	return r
}

// forbid adds a path or words.
func (r *Rule) forbid(what string) {
	what = strings.TrimSpace(what)
	looksLikePath := !strings.ContainsAny(what, " \t") && strings.ContainsAny(what, "/*") && glob.Valid(what) == nil
	if looksLikePath {
		r.Paths = append(r.Paths, strings.TrimPrefix(what, "./"))
		return
	}
	r.Words = append(r.Words, what)
}
