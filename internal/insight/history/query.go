package history

import (
	"slices"
	"strings"
)

// Query is what is looked for.
type Query struct {
	Words []Word
	Exact bool // every word must be there
}

// Word is one thing that a message must have: a word, or a text that was in quotes.
type Word struct {
	Text   string   // in small letters, every run of space one space
	Asks   bool     // only part of the question: it counts for the order, and messages need not have it
	Like   []string // what counts as much for the order, beside the word
	tokens []string
}

// smallWords say nothing about what is looked for, between spaces.
const smallWords = " a an and are as at be been but by can could did do does for from had has have he her his how i if in into is it its let me my of on or our" +
	" should she so some than that the their them then there these they this those to us was we were what when where which who why will with would you your" +
	" about all also any ago again just not no "

// questionWords make a question of a query, between spaces.
const questionWords = " where when why how what which who did do does was were we i you "

// asking are words with which questions ask for a conversation, by their beginning, and what
// people say in their place.
var asking = []struct {
	begin string
	like  []string
}{
	{"decid", []string{"decid", "decision", "choose", "chose", "agree", "settle", "recommend", "selected", "go with"}},
	{"decision", []string{"decid", "decision", "choose", "chose", "agree", "settle", "recommend", "selected", "go with"}},
	{"choose", []string{"choose", "chose", "decid", "decision", "selected", "go with"}},
	{"chose", []string{"choose", "chose", "decid", "decision", "selected", "go with"}},
	{"discuss", []string{"discuss", "option", "approach", "propos"}},
	{"talk", []string{"discuss", "talk"}},
	{"said", nil},
	{"say", nil},
	{"mention", nil},
	{"conversation", nil},
	{"session", nil},
	{"chat", nil},
}

// Parse reads a query. Text in double quotes is one thing. In a question, small words and
// the words with which it asks count only for the order. Exact is without all that: every
// word must be there, as it is written.
func Parse(s string, exact bool) Query {
	q := Query{Exact: exact}
	question := false
	for i, part := range strings.Split(s, `"`) {
		if i%2 == 1 {
			q.add(Word{Text: folded(part)})
			continue
		}
		for _, w := range strings.Fields(part) {
			text := folded(w)
			if !exact {
				if t := strings.Trim(text, "?!,;:.()…“”‘’`'"); t != "" {
					text = t
				}
				question = question || strings.Contains(questionWords, " "+text+" ")
			}
			q.add(Word{Text: text, Asks: !exact && strings.Contains(smallWords, " "+text+" ")})
		}
	}
	if question {
		q.asks()
	}
	if !slices.ContainsFunc(q.Words, func(w Word) bool { return !w.Asks }) { // nothing but small words: then they are meant
		for i := range q.Words {
			q.Words[i].Asks = false
		}
	}
	return q
}

func (q *Query) add(w Word) {
	if w.Text == "" || slices.ContainsFunc(q.Words, func(v Word) bool { return v.Text == w.Text }) {
		return
	}
	w.tokens = tokensOf(w.Text)
	q.Words = append(q.Words, w)
}

// asks marks the words with which a question asks, as long as others are left.
func (q *Query) asks() {
	left := 0
	for _, w := range q.Words {
		if !w.Asks {
			left++
		}
	}
	for i := range q.Words {
		w := &q.Words[i]
		for _, a := range asking {
			if !w.Asks && left > 1 && strings.HasPrefix(w.Text, a.begin) {
				w.Asks, w.Like = true, a.like
				left--
			}
		}
	}
}

// needed are the words that a message must have.
func (q Query) needed() []Word {
	var list []Word
	for _, w := range q.Words {
		if !w.Asks {
			list = append(list, w)
		}
	}
	return list
}

// byToken tells whether the tokens alone say that a message has the word: no character of
// it stands between tokens.
func (w Word) byToken() bool { return len(w.tokens) == 1 && w.tokens[0] == w.Text }
