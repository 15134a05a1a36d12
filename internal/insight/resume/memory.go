package resume

import (
	"slices"
	"strings"

	"kedge/internal/insight/audit"
)

// memory is what was decided and what was ruled out, with its reasons, as far as
// somebody said so in words that can be told by rule.
type memory struct {
	decided, ruled []remark
}

// remark is a sentence that stood in the transcript.
type remark struct {
	line int
	text string
}

func (r remark) String() string { return r.text + atLine(r.line) }

const (
	maxRemarks  = 8   // of each kind
	maxRemark   = 280 // bytes of one
	leastRemark = 40
	mostTold    = 1000 // bytes of a message that is looked at for rules: not whole plans
)

// ruledWords are how people and models say that a way is closed.
var ruledWords = []string{
	"won't work", "will not work", "ruled out", "rule out", "abandon the", "abandon this", "abandon that", "not worth", "dead end", "not feasible", "isn't feasible", "overkill",
	"i've reverted", "i reverted", "we reverted", "i've rolled back", "i rolled back", "we rolled back",
}

// brokenWords say that something does not work. It is a way that is closed only where
// wayWords stand beside them; else it is what is to be repaired.
var (
	brokenWords = []string{
		"doesn't work", "does not work", "didn't work", "did not work", "not possible", "isn't possible", "not supported", "we can't use", "we cannot use", "can't be used", "cannot be used",
	}
	wayWords = []string{"approach", "alternative", "workaround", "this way", "that way", "tried", "attempt", "the earlier ", "the previous ", "the first ", "this option", "that option"}
)

// insteadWords tell what was chosen, where somebody chooses; else they describe.
var insteadWords = []string{"instead of", "rather than"}

// choosing are the words of somebody who chooses.
var choosing = []string{"i'll ", "we'll ", "let's ", "we should", "should be", "should use", "i'd ", "chose", "better to", "the fix", "switch", "going to", "i will ", "decided", "need to"}

// decidedWords are how they say what they chose, and what they found to be the cause.
var decidedWords = []string{
	"decided to", "decided on", "decided that", "we decided", "i decided", "the decision is", "the decision was", "i'd go with", "i'll go with", "we'll go with", "let's go with", "going with",
	"went with", "i chose", "we chose", "chose to", "is by design", "was by design", "intentional", "on purpose",
}

// proposedWords are how they say what is to be done, or what the cause is. Where the
// sentence names two ways, nobody has chosen.
var proposedWords = []string{"root cause is", "root cause was", "root cause:", "the fix is to", "the fix was to", "best approach is", "simplest approach is", "so we should"}

// unsureWords are those of somebody who weighs, and has not chosen.
var unsureWords = []string{"could ", "might ", "maybe", "perhaps", "probably", "if we", "if you", "alternatively", "unintentional", "not intentional", "wasn't intentional", "likely", "suspect"}

// toldWords are how a person sets a rule for the work. What they want is the ask.
var toldWords = []string{
	"must not", "must always", "must never", "must be ", "should always", "should never", "let's use", "let's keep", "let's go with", "prefer", "i'd go with", "on purpose",
	"make sure every", "make sure that every", "make sure all", "make sure that all", "make sure we never", "make sure we always",
}

// rulingWords begin a rule; further inside they describe.
var rulingWords = []string{"always ", "never "}

// askWords are how a request begins, which is no rule.
var askWords = []string{"can ", "could ", "would ", "please ", "why ", "how ", "what "}

// forbidWords are how a person's sentence begins that closes a way. Further inside
// they are a step of a request ("run it, do not commit") or what it is for ("so we
// don't break things").
var forbidWords = []string{"don't", "do not", "dont "}

// leadWords may stand before them.
var leadWords = []string{"please ", "and ", "but ", "also ", "ok ", "okay ", "no ", "just ", "so ", "we ", "you "}

// barWords close a way wherever they stand.
var barWords = []string{"shouldn't", "should not", "must not", "no need", "not needed", "i don't want", "i don't like"}

// tryWords are those of somebody who only looks whether something is so.
var tryWords = []string{"let me check", "let me see", "let me verify", "let's check", "let's see", "check if ", "check whether ", "see if ", "see whether ", "if the issue is", "if the problem is", "whether the "}

func (m *memory) said(line int, text string) {
	for _, s := range sentences(text) {
		low := strings.ToLower(s)
		switch {
		case strings.HasSuffix(s, "?"):
		case closes(low):
			remember(&m.ruled, line, s)
		case chooses(low):
			remember(&m.decided, line, s)
		}
	}
}

// closes tells whether a sentence, in lower case, closes a way.
func closes(low string) bool {
	return (hasAny(low, ruledWords) || hasAny(low, brokenWords) && hasAny(low, wayWords)) && !hasAny(low, unsureWords) && !hasAny(low, tryWords)
}

// chooses tells whether a sentence, in lower case, says what was chosen.
func chooses(low string) bool {
	if hasAny(low, unsureWords) || hasAny(low, tryWords) {
		return false
	}
	return hasAny(low, decidedWords) || hasAny(low, insteadWords) && hasAny(low, choosing) || hasAny(low, proposedWords) && !strings.Contains(low, " or ")
}

// thought takes only what closes a way and gives a reason: thinking tries much.
func (m *memory) thought(line int, text string) {
	for _, s := range sentences(text) {
		low := strings.ToLower(s)
		if closes(low) && hasAny(low, []string{"because", "since ", " as "}) && !strings.HasSuffix(s, "?") {
			remember(&m.ruled, line, s)
		}
	}
}

// told takes the rules that the user set.
func (m *memory) told(s said) {
	if s.kind != saidAsk || len(s.text) > mostTold {
		return
	}
	for _, one := range sentences(s.text) {
		low := strings.ToLower(one)
		switch {
		case strings.HasSuffix(one, "?"), beginsAny(low, askWords):
		case forbids(low):
			remember(&m.ruled, s.line, "the user said: "+one)
		case hasAny(low, toldWords), beginsAny(low, rulingWords):
			remember(&m.decided, s.line, "the user said: "+one)
		}
	}
}

// forbids tells whether a person's sentence, in lower case, closes a way.
func forbids(low string) bool {
	if hasAny(low, barWords) {
		return true
	}
	for {
		low = strings.TrimLeft(low, " ,:;-")
		i := slices.IndexFunc(leadWords, func(w string) bool {
			return strings.HasPrefix(low, w) || strings.HasPrefix(low, strings.TrimSpace(w)+",")
		})
		if i < 0 {
			return beginsAny(low, forbidWords)
		}
		low = low[len(leadWords[i])-1:]
	}
}

// answered takes the answers to questions, and what the user refused.
func (m *memory) answered(c *call, e *audit.Entry) {
	switch {
	case c.tool == "AskUserQuestion" && !e.Failed:
		_, answers, ok := strings.Cut(e.Text, ": ")
		if !ok {
			return
		}
		answers, _, _ = strings.Cut(answers, ". You can now continue")
		remember(&m.decided, e.Line, "the user answered: "+answers)
	case strings.HasPrefix(e.Text, refusal) && c.tool != "ExitPlanMode" && c.tool != "AskUserQuestion":
		m.refused(c, e.Line, wordsOfRefusal(e))
	}
}

// refused takes a call that the user refused. Words that ask for something else
// first, or instead, are part of the ask; the call is ruled out by a no, or by none.
func (m *memory) refused(c *call, line int, words string) {
	what := "the user refused: " + c.describe()
	if words == "" {
		remember(&m.ruled, line, what)
		return
	}
	low := strings.ToLower(words)
	if forbids(low) || beginsAny(low, []string{"no,", "no ", "no.", "no!", "stop", "never "}) {
		remember(&m.ruled, line, what+": "+words)
	}
}

// remember keeps a sentence, once, and drops the oldest when there are many.
func remember(list *[]remark, line int, text string) {
	text = cut(strings.Join(strings.Fields(text), " "), maxRemark)
	if len(text) < leastRemark {
		return
	}
	for _, r := range *list {
		if r.text == text {
			return
		}
	}
	*list = append(*list, remark{line, text})
	if len(*list) > maxRemarks {
		*list = append((*list)[:0:0], (*list)[1:]...)
	}
}

// newest gives the texts of remarks, the newest first.
func newest(list []remark) []string {
	out := make([]string, 0, len(list))
	for i := len(list) - 1; i >= 0; i-- {
		out = append(out, list[i].String())
	}
	return out
}
