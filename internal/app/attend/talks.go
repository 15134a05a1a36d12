package attend

import "kedge/internal/insight/transcript"

// talk is whose a conversation is: the key of what is watched. Sure is what the agent
// itself said; else it is only likely.
type talk struct {
	key  string
	sure bool
}

// claim remembers that an agent said which conversation it has.
func (l *watching) claim(name, key string) { l.remember(name, talk{key: key, sure: true}) }

// guess remembers that a conversation is probably that of what is watched.
func (l *watching) guess(name, key string) { l.remember(name, talk{key: key}) }

func (l *watching) remember(name string, of talk) {
	if name == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.talks == nil || len(l.talks) >= mostKnown {
		l.talks = map[string]talk{}
	}
	l.talks[name] = of
}

// others tells whether a transcript's name is that of a conversation of somebody else.
// What an agent said counts before what was likely.
func (l *watching) others(name, key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	likely := false
	for of, t := range l.talks {
		if !transcript.Names(name, of) {
			continue
		}
		if t.sure {
			return t.key != key
		}
		likely = likely || t.key != key
	}
	return likely
}
