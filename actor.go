package kedge

import "strings"

// Actor says who did something: "daemon", "agent:<session>" or "human:<name>". Ask its
// methods; nothing else takes the text apart.
type Actor string

// ActorDaemon is Kedge itself.
const ActorDaemon Actor = "daemon"

// What the text of users and agents begins with. Both are in stored events.
const (
	humanPrefix = "human:"
	agentPrefix = "agent:"
)

// Human gives the actor of a user.
func Human(name string) Actor { return Actor(humanPrefix + name) }

// Agent gives the actor of everything that runs in a session.
func Agent(id SessionID) Actor { return Actor(agentPrefix + string(id)) }

// IsHuman tells whether a user did it. A user without a name does not count: nobody can
// be held to what they did.
func (a Actor) IsHuman() bool { return strings.HasPrefix(string(a), humanPrefix) && a.Name() != "" }

// IsAgent tells whether an agent did it. An agent without a session counts: what users
// alone may do is refused to it.
func (a Actor) IsAgent() bool { return strings.HasPrefix(string(a), agentPrefix) }

// IsKnown tells whether the text has one of the three forms. Names may be empty.
func (a Actor) IsKnown() bool {
	return a == ActorDaemon || a.IsAgent() || strings.HasPrefix(string(a), humanPrefix)
}

// Session gives the session of an agent, and false for anybody else.
func (a Actor) Session() (SessionID, bool) {
	id, ok := strings.CutPrefix(string(a), agentPrefix)
	if !ok {
		return "", false
	}
	return SessionID(id), true
}

// Name gives the name of a user or the session of an agent, without its kind, and ""
// for the daemon.
func (a Actor) Name() string {
	_, name, _ := strings.Cut(string(a), ":")
	return name
}
