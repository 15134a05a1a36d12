package kedge_test

import (
	"testing"

	"kedge"
)

func TestActorsSayWhoTheyAre(t *testing.T) {
	for _, c := range []struct {
		actor               kedge.Actor
		human, agent, known bool
		session, name       string
	}{
		{actor: kedge.Human("ann"), human: true, known: true, name: "ann"},
		{actor: kedge.Human("DOM:ann"), human: true, known: true, name: "DOM:ann"},
		{actor: kedge.Human(""), known: true},
		{actor: kedge.Agent("ses-1"), agent: true, known: true, session: "ses-1", name: "ses-1"},
		{actor: kedge.Agent(""), agent: true, known: true},
		{actor: kedge.ActorDaemon, known: true},
		{actor: ""},
		{actor: "human"},
		{actor: "agent"},
		{actor: "Human:ann", name: "ann"},
		{actor: "humane:ann", name: "ann"},
		{actor: " agent:ses-1", name: "ses-1"},
		{actor: "daemon:x", name: "x"},
	} {
		session, ok := c.actor.Session()
		if c.actor.IsHuman() != c.human || c.actor.IsAgent() != c.agent || c.actor.IsKnown() != c.known {
			t.Errorf("%q: human %v, agent %v, known %v", c.actor, c.actor.IsHuman(), c.actor.IsAgent(), c.actor.IsKnown())
		}
		if ok != c.agent || string(session) != c.session || c.actor.Name() != c.name {
			t.Errorf("%q: session %q (%v), name %q", c.actor, session, ok, c.actor.Name())
		}
	}
}
