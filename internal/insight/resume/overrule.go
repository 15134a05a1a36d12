package resume

import (
	"encoding/json"
	"hash/fnv"
	"slices"
	"strings"

	"kedge/internal/text/lazyre"
	"kedge/internal/text/words"
)

// objections are how a user's words begin that are against what the agent just said or did.
var objections = []string{
	"no,", "no ", "no.", "no!", "nope", "nah", "wrong", "that's wrong", "that is wrong", "thats wrong", "this is wrong", "that's not", "that is not", "thats not", "this is not", "that isn't",
	"not what", "i disagree", "i don't think", "i dont think", "i do not think", "you're wrong", "you are wrong", "revert", "undo", "please revert", "please undo", "roll back",
	"that doesn't make sense", "that does not make sense", "actually no", "actually, no", "stop,", "stop ", "stop.", "don't do that", "that can't be", "that cannot be",
	"i didn't", "i did not", "why did you", "we don't want", "we do not want", "let's not", "lets not", "i changed my mind", "changed my mind", "on second thought", "you misunderstood", "that's the wrong", "not like that", "you should not have", "you shouldn't have",
}

// noObjections begin like one and are none.
var noObjections = []string{"no problem", "no worries", "no questions", "no rush", "no need to apolog", "no thanks", "no, that's fine", "no that's fine", "no, it's fine", "no, all good"}

// objects tells whether the user is against what was just said or done.
func objects(text string) bool {
	low := strings.ToLower(strings.ReplaceAll(strings.TrimLeft(text, "\"'( "), "’", "'"))
	for again := true; again; {
		again = false
		for _, lead := range []string{"hm ", "hmm ", "hmm, ", "well, ", "wait, ", "wait ", "ok but ", "ok, but ", "but ", "oh ", "oh, ", "sorry, ", "sorry "} {
			if rest, ok := strings.CutPrefix(low, lead); ok {
				low, again = rest, true
			}
		}
	}
	return beginsAny(low, objections) && !beginsAny(low, noObjections)
}

// reversals are how an agent takes back what it said or did.
var reversals = []string{
	"i was wrong", "i was mistaken", "my mistake", "i misread", "i misunderstood", "my earlier", "my previous", "my initial", "my first ", "that was wrong", "was incorrect", "isn't the root cause",
	"is not the root cause", "not the root cause", "wasn't the root cause", "not the actual", "the real root cause", "the actual root cause", "the real cause", "the actual cause", "the real issue", "the real problem",
	"on second thought", "i've reverted", "i reverted", "i have reverted", "we reverted", "let me revert", "i'll revert", "reverting", "rolled back", "i've undone", "turns out", "scratch that",
	"you're right", "you are right", "you're absolutely right",
}

// agrees are those by which the agent gives the user right.
var agrees = []string{"you're right", "you are right", "you're absolutely right"}

// undone are those that say that a change is no longer there.
var undone = []string{"i've reverted", "i reverted", "i have reverted", "we reverted", "rolled back", "i've undone"}

// subject is a word by which two sentences speak of the same thing: code, a name, or a
// long word.
var subject = lazyre.New("`[^`\\s]+`|\\b[A-Za-z_][\\w./-]{3,}\\b")

// common are long words that say nothing of the subject, between spaces.
const commonWords = " that this with from have will then when what each make some only more also into they them than your been were does same very just like want need here file line code test use used one two because there their where which would should could about after again before being between cannot every these those thing things other using instead rather cause causes caused issue" +
	" problem change changes changed right wrong actually really still since correct currently current existing approach option implementation implement update updated method function functions files" +
	" reverted revert original while without within through already always never first second going decided based makes making called calls added adding remove removed" +
	" error errors value values check checks needs shouldn simply means directly instead rootcause "

// subjects gives the words that a sentence is about.
func subjects(s string) []string {
	var list []string
	for _, at := range subject.FindAllStringIndex(s, -1) {
		w := strings.Trim(strings.ToLower(s[at[0]:at[1]]), "`.,()")
		if w = strings.TrimSuffix(w, "s"); !strings.Contains(commonWords, " "+w+" ") && !strings.Contains(commonWords, " "+w+"s ") && !slices.Contains(list, w) {
			list = append(list, w)
		}
	}
	return list
}

// shared counts the words that both are about.
func shared(a, b string) int {
	words := subjects(b)
	n := 0
	for _, w := range subjects(a) {
		if slices.Contains(words, w) {
			n++
		}
	}
	return n
}

const (
	nearTurns   = 2 // of the user, within which something is taken back as a rule
	leastShared = 2 // words that make two sentences speak of the same
	mostOverrul = 320
)

// overruled takes what was decided or found, and no longer holds, away from there. By is
// who said so, line where; what is what they said.
func (m *memory) overrule(by string, line int, what string, is func(remark) bool) bool {
	found := false
	for _, list := range []*[]remark{&m.decided, &m.found} {
		*list = slices.DeleteFunc(*list, func(r remark) bool {
			if r.user || !is(r) {
				return false
			}
			found = true
			remember(&m.overruled, remark{line: line, turn: m.turn, text: by + atLine(line) + ": " + words.Ended(shortened(what, mostOverrul)) + " Before that the agent said" + atLine(r.line) + ": " + r.text})
			return true
		})
	}
	return found
}

// doubts tells whether the user asks whether what was said is so.
func doubts(text string) bool {
	return hasAny(strings.ToLower(strings.ReplaceAll(text, "’", "'")), []string{"questioning", "are you sure", "doesn't make sense", "does not make sense", "i thought", "what do i miss", "but this ", "but that ", "but we ", "but the ", "shouldn't", "didn't we"})
}

// objected takes words of the user that are against what the agent said in its last turn:
// to is how that began.
func (m *memory) objected(line int, text, to string) {
	first := shortened(text, mostOverrul)
	if strings.Count(text, "\n") > 2 { // of what was pasted below it nobody speaks
		first = title(text, mostOverrul)
	}
	last := m.turn - 1
	if m.overrule("by the user", line, first, func(r remark) bool { return r.turn == last || r.turn == last-1 && shared(r.text, first) >= leastShared }) {
		return
	}
	if forbids(strings.ToLower(first)) { // it is ruled out, and nothing else
		return
	}
	if to != "" {
		to = " Before that the agent said: " + to
	}
	remember(&m.overruled, remark{line: line, turn: m.turn, text: "by the user" + atLine(line) + ": " + words.Ended(first) + to})
}

// reversed takes a sentence by which the agent takes back what it said before, of the
// same subject. One that says what was undone stands by itself.
func (m *memory) reversed(line int, s string) {
	low := strings.ToLower(s)
	if hasAny(low, unsureWords) || hasAny(low, tryWords) || strings.HasSuffix(s, "?") {
		return
	}
	told := m.last // what the user said, where the agent gives them right
	if !hasAny(low, agrees) {
		told = ""
	} else if !objects(told) && !doubts(told) {
		return
	}
	least := leastShared
	if hasAny(low, []string{"i was wrong", "i was mistaken", "my mistake", "on second thought", "scratch that"}) {
		least = 1
	}
	cause := strings.Contains(low, "cause") || strings.Contains(low, "the real ") || strings.Contains(low, "the actual ")
	found := m.overrule("by the agent", line, s, func(r remark) bool {
		need := least
		if r.turn < m.turn-nearTurns { // long ago: it speaks of something else more likely
			need = 2 * leastShared
		}
		return r.line < line && (shared(r.text, s+" "+told) >= need || cause && r.turn == m.turn && strings.Contains(strings.ToLower(r.text), "cause"))
	})
	if !found && hasAny(low, undone) && !hasAny(low, agrees) {
		remember(&m.overruled, remark{line: line, turn: m.turn, text: "by the agent" + atLine(line) + ": " + s})
	}
}

// superseded takes a new decision or finding, and gives up older ones that say something
// else of the same.
func (m *memory) superseded(list *[]remark, r remark) {
	words := len(subjects(r.text))
	for _, old := range slices.Clone(*list) {
		n := shared(old.text, r.text)
		if old.user != r.user || old.text == r.text || n < 3 || n*3 < 2*min(words, len(subjects(old.text))) {
			continue
		}
		*list = slices.DeleteFunc(*list, func(x remark) bool { return x == old })
	}
}

// change is an edit, by hashes of what it took out and put in.
type change struct {
	path      string
	line      int
	old, new_ uint64
}

// maxChanges bounds the edits in which one that was undone is looked for.
const maxChanges = 64

// edited takes an edit. One that puts back what an earlier one took out undoes it.
func (m *memory) edited(line int, path, input string) {
	var in struct {
		Old string `json:"old_string"`
		New string `json:"new_string"`
	}
	if path == "" || len(input) > maxSaid || json.Unmarshal([]byte(input), &in) != nil || in.Old == "" || len(in.New)+len(in.Old) < 2*leastPlan {
		return
	}
	c := change{path, line, hashed(in.Old), hashed(in.New)}
	i := slices.IndexFunc(m.changes, func(x change) bool { return x.path == path && x.old == c.new_ && x.new_ == c.old })
	if i < 0 {
		if m.changes = append(m.changes, c); len(m.changes) > maxChanges {
			m.changes = append(m.changes[:0:0], m.changes[1:]...)
		}
		return
	}
	since := m.changes[i].line
	m.changes = slices.Delete(m.changes, i, i+1)
	name := baseOf(path)
	m.overrule("by the agent", line, "undid its edit of "+name+".", func(r remark) bool { return r.line <= since && strings.Contains(r.text, name) && r.turn >= m.turn-1 })
}

func hashed(s string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s)) // never fails
	return h.Sum64()
}
