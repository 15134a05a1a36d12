package resume

import (
	"slices"
	"strings"

	"kedge/internal/insight/audit"
	"kedge/internal/text/words"
)

// memory is what was decided, found and ruled out, with its reasons, as far as somebody
// said so in words that can be told by rule; and what of it was overruled since.
type memory struct {
	decided, found, ruled, overruled []remark

	turn    int      // how often the user spoke
	acts    int      // how many calls were made
	last    string   // what they said last
	changes []change // the last edits
}

// remark is a sentence that stood in the transcript.
type remark struct {
	line int
	text string
	turn int  // of the user, after which it was said
	user bool // it is theirs

	proposed bool // it only says what is to be done about the matter at hand
	acts     int  // before it
}

func (r remark) String() string { return r.text + atLine(r.line) }

const (
	maxRemarks  = 8   // of each kind
	maxRemark   = 280 // bytes of one
	maxOverrule = 640 // of one that says what it was before
	leastRemark = 40
	mostTold    = 1000 // bytes of a message that is looked at for rules: not whole plans
)

// ruledWords are how people and models say that a way is closed.
var ruledWords = []string{
	"won't work", "will not work", "ruled out", "rule out", "abandon the", "abandon this", "abandon that", "not worth", "dead end", "not feasible", "isn't feasible", "overkill",
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
var choosing = []string{"i'll ", "we'll ", "let's ", "we should", "should be", "should use", "i'd ", "chose", "better to", "the fix", "switch", "going to", "i will ", "decided"}

// decidedWords are how they say what they chose.
var decidedWords = []string{
	"decided to", "decided on", "decided that", "we decided", "i decided", "the decision is", "the decision was", "i'd go with", "i'll go with", "we'll go with", "let's go with", "going with",
	"went with", "i chose", "we chose", "chose to",
}

// meantWords say that what is there was meant so: by whom, nobody knows.
var meantWords = []string{"is by design", "was by design", "intentional", "on purpose"}

// proposedWords are how they say what is to be done. Where the sentence names two ways,
// nobody has chosen.
var proposedWords = []string{"the fix is to", "the fix was to", "best approach is", "simplest approach is", "so we should"}

// foundWords are how they say what the cause is.
var foundWords = []string{"root cause is", "root cause was", "root cause:", "the bug is that", "the bug was that", "the cause is", "the cause was"}

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
	list := words.Sentences(text)
	for i, s := range list {
		low := strings.ToLower(s)
		if strings.HasSuffix(s, "?") {
			continue
		}
		if hasAny(low, reversals) {
			m.reversed(line, completed(list, i))
			continue
		}
		r := remark{line: line, turn: m.turn, text: completed(list, i)}
		switch {
		case len(r.text) > maxRemark, leans(low): // half of it says something else
		case closes(low):
			remember(&m.ruled, r)
		case chooses(low):
			r.acts, r.proposed = m.acts, !hasAny(low, decidedWords) && !hasAny(low, insteadWords)
			m.superseded(&m.decided, r)
			remember(&m.decided, r)
		case finds(low):
			m.superseded(&m.found, r)
			remember(&m.found, r)
		}
	}
}

// leans tells whether a sentence is about something that stands before it: "that won't
// work either".
func leans(low string) bool {
	for again := true; again; {
		again = false
		for _, lead := range []string{"wait,", "wait", "hmm,", "hmm", "but", "so", "and", "actually,", "actually", "no,", "well,", "ok,", "okay,", "since", "because"} {
			if rest, ok := strings.CutPrefix(low, lead+" "); ok {
				low, again = rest, true
			}
		}
	}
	return beginsAny(low, []string{"that ", "that's ", "this ", "this's ", "it ", "it's ", "they ", "these ", "those "})
}

// finds tells whether a sentence, in lower case, says what the cause is, or that what is
// there was meant so.
func finds(low string) bool {
	return (hasAny(low, foundWords) || hasAny(low, meantWords)) && !beginsAny(low, plans) && !hasAny(low, unsureWords) && !hasAny(low, tryWords)
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
	for _, s := range words.Sentences(text) {
		low := strings.ToLower(s)
		if closes(low) && hasAny(low, []string{"because", "since ", " as "}) && !strings.HasSuffix(s, "?") {
			if len(s) <= maxRemark && !leans(low) {
				remember(&m.ruled, remark{line: line, turn: m.turn, text: s})
			}
		}
	}
}

// told takes the rules that the user set, and what they are against.
func (m *memory) told(s said) {
	if s.kind == saidAsk || s.kind == saidSteering {
		m.turn++
		m.last = cut(s.text, mostTold)
	}
	if s.kind != saidAsk {
		return
	}
	against := objects(s.text)
	if against {
		m.objected(s.line, s.text, s.against)
	}
	if len(s.text) > mostTold {
		return
	}
	if s.ref != "" && !against && !strings.Contains(s.text, "?") {
		remember(&m.decided, remark{line: s.line, turn: m.turn, user: true, text: "the user said: " + title(s.text, mostTitle) + " (" + s.ref + ")"})
	}
	for i, one := range words.Sentences(s.text) {
		low := strings.ToLower(one)
		r := remark{line: s.line, turn: m.turn, user: true, text: "the user said: " + shortened(one, maxRemark)}
		switch {
		case strings.HasSuffix(one, "?"), beginsAny(low, askWords), against && i == 0 && !forbids(low):
		case forbids(low):
			m.overruledByUser(r)
			remember(&m.ruled, r)
		case hasAny(low, toldWords), beginsAny(low, rulingWords):
			m.superseded(&m.decided, r)
			remember(&m.decided, r)
		}
	}
}

// overruledByUser takes away what the user had decided, and now forbids.
func (m *memory) overruledByUser(now remark) {
	m.decided = slices.DeleteFunc(m.decided, func(r remark) bool {
		if !r.user || shared(r.text, now.text) < leastShared {
			return false
		}
		remember(&m.overruled, remark{line: now.line, turn: m.turn, text: "by the user" + atLine(now.line) + ": " + words.Ended(strings.TrimPrefix(now.text, "the user said: ")) + " Before that " + r.String()})
		return true
	})
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
		remember(&m.decided, remark{line: e.Line, turn: m.turn, user: true, text: "the user answered: " + cut(answers, maxRemark)})
	case strings.HasPrefix(e.Text, refusal) && c.tool != "ExitPlanMode" && c.tool != "AskUserQuestion":
		m.refused(c, e.Line, wordsOfRefusal(e))
	case c.act == audit.Shell && !e.Failed:
		m.allowed(c)
	}
}

// refused takes a call that the user refused. Words that ask for something else
// first, or instead, are part of the ask; the call is ruled out by a no, or by none.
func (m *memory) refused(c *call, line int, words string) {
	what := "by the user" + atLine(line) + " (" + refusedWord + c.describe() + ")"
	if words == "" && c.act == audit.Other { // who stops a wait or a search refuses nothing
		return
	}
	if words == "" {
		remember(&m.overruled, remark{line: line, turn: m.turn, user: true, text: what})
		return
	}
	low := strings.ToLower(words)
	if forbids(low) || beginsAny(low, []string{"no,", "no ", "no.", "no!", "stop", "never "}) {
		remember(&m.overruled, remark{line: line, turn: m.turn, user: true, text: "by the user" + atLine(line) + ": " + shortened(words, maxRemark) + " (" + refusedWord + c.describe() + ")"})
	}
}

// refusedWord stands before a call that the user refused.
const refusedWord = "refused: "

// allowed takes a call that ran: the user no longer refuses it.
func (m *memory) allowed(c *call) {
	m.overruled = slices.DeleteFunc(m.overruled, func(r remark) bool { return r.user && strings.HasSuffix(r.text, "("+refusedWord+c.describe()+")") })
}

// For so many turns of the user and so many actions holds what was proposed: after that the
// work is at something else, or went another way.
const (
	freshTurns = 6
	freshActs  = 40
)

// decisions gives what was decided and still holds.
func (m *memory) decisions() []remark {
	return slices.DeleteFunc(slices.Clone(m.decided), func(r remark) bool { return r.proposed && (m.turn-r.turn > freshTurns || m.acts-r.acts > freshActs) })
}

// remember keeps a sentence, once, and drops the oldest when there are many.
func remember(list *[]remark, r remark) {
	if r.text = cut(strings.Join(strings.Fields(r.text), " "), maxOverrule); len(r.text) < leastRemark {
		return
	}
	for _, x := range *list {
		if x.text == r.text {
			return
		}
	}
	*list = append(*list, r)
	if len(*list) > maxRemarks {
		*list = append((*list)[:0:0], (*list)[1:]...)
	}
}

// newest gives the texts of remarks, the newest first.
func newest(list []remark) []string {
	out := make([]string, 0, len(list))
	for i := len(list) - 1; i >= 0; i-- {
		if strings.HasPrefix(list[i].text, "by the ") { // it says its line itself
			out = append(out, list[i].text)
		} else {
			out = append(out, list[i].String())
		}
	}
	return out
}
