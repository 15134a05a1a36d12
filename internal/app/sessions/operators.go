package sessions

import (
	"context"
	"slices"
	"time"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/process"
)

// OperatorInfo is a client that you gave a token. The token itself is not kept.
type OperatorInfo struct {
	Name   string      `json:"name"`
	MadeAt time.Time   `json:"made_at"`
	By     kedge.Actor `json:"by"`
}

// OperatorRequest names an operator.
type OperatorRequest struct {
	Name string `json:"name"`
}

// OperatorAddReply is a new operator with its token, which is shown this once.
type OperatorAddReply struct {
	Operator OperatorInfo `json:"operator"`
	Token    string       `json:"token"`
}

// OperatorListRequest asks for all operators.
type OperatorListRequest struct{}

// OperatorListReply lists the operators, the oldest first.
type OperatorListReply struct {
	Operators []OperatorInfo `json:"operators"`
}

// OperatorReply is one operator.
type OperatorReply struct {
	Operator OperatorInfo `json:"operator"`
}

func info(o process.Operator) OperatorInfo { return OperatorInfo{o.Name, o.MadeAt, o.By} }

// OperatorAdd makes a token with which a client may pause, continue and stop runs and
// tell them something.
func (s *Manager) OperatorAdd(_ context.Context, who projects.Caller, in OperatorRequest) (OperatorAddReply, error) {
	var r OperatorAddReply
	err := s.changeOperators(who, "make a token for an operator", func(list []process.Operator) ([]process.Operator, error) {
		if !kedge.ValidName(in.Name) {
			return nil, kedge.Errorf(kedge.Invalid, "%q is not a valid name for an operator", in.Name).
				WithHint("use at most 64 characters of a-z, 0-9, dot, dash and underscore; begin with a letter or digit")
		}
		i := slices.IndexFunc(list, func(o process.Operator) bool { return o.Name == in.Name })
		if i >= 0 && who.Key != "" && list[i].Key == who.Key {
			// Made again, the request has the one operator, with a new token: the answer
			// that had the first one is lost, and only its hash is kept.
			token, hash := process.NewOperatorToken()
			list[i].SHA256 = hash
			r = OperatorAddReply{Operator: info(list[i]), Token: token}
			return list, nil
		}
		if i >= 0 {
			return nil, kedge.Errorf(kedge.Conflict, "an operator %q exists already and has a token", in.Name).WithHint("choose another name; or first revoke the existing token: kedge operator rm %s", in.Name)
		}
		token, hash := process.NewOperatorToken()
		o := process.Operator{Name: in.Name, MadeAt: s.home.Now().UTC(), By: who.Actor, SHA256: hash, Key: who.Key}
		r = OperatorAddReply{Operator: info(o), Token: token}
		return append(list, o), nil
	})
	return r, err
}

// OperatorRemove revokes the token of an operator: from now on it is refused.
func (s *Manager) OperatorRemove(_ context.Context, who projects.Caller, in OperatorRequest) (OperatorReply, error) {
	var r OperatorReply
	err := s.changeOperators(who, "revoke the token of an operator", func(list []process.Operator) ([]process.Operator, error) {
		i := slices.IndexFunc(list, func(o process.Operator) bool { return o.Name == in.Name })
		if i < 0 {
			return nil, kedge.Errorf(kedge.NotFound, "there is no operator %q", in.Name).WithHint("see the operators and their names: kedge operator ls")
		}
		r.Operator = info(list[i])
		return slices.Delete(list, i, i+1), nil
	})
	return r, err
}

// OperatorList lists the operators.
func (s *Manager) OperatorList(_ context.Context, who projects.Caller, _ OperatorListRequest) (OperatorListReply, error) {
	if err := projects.PersonOnly(who, "list operators"); err != nil {
		return OperatorListReply{}, err
	}
	list, err := process.ReadOperators(s.home.Dir)
	r := OperatorListReply{Operators: []OperatorInfo{}}
	for _, o := range list {
		r.Operators = append(r.Operators, info(o))
	}
	return r, err
}

// changeOperators replaces the list, one caller at a time.
func (s *Manager) changeOperators(who projects.Caller, what string, change func([]process.Operator) ([]process.Operator, error)) error {
	if err := projects.PersonOnly(who, what); err != nil {
		return err
	}
	if s.home.ReadOnly {
		return projects.ErrReadOnly()
	}
	s.operators.Lock()
	defer s.operators.Unlock()
	list, err := process.ReadOperators(s.home.Dir)
	if err != nil {
		return err
	}
	if list, err = change(list); err != nil {
		return err
	}
	return process.WriteOperators(s.home.Dir, list)
}

// OperatorPass is what a caller presents to act as an operator. Inside is the session in
// which it runs, or empty; Act is the call, and May tells whether operators may make it.
type OperatorPass struct {
	Dir    string
	Token  string
	User   string
	Inside kedge.SessionID
	Act    string
	May    bool
}

// AdmitOperator gives the name of the operator whose token is presented. It refuses
// every token that comes from a session of a run or from what Kedge runs itself: who gave
// it away does not matter there. The attempt is recorded.
func (s *Manager) AdmitOperator(ctx context.Context, in OperatorPass) (string, error) {
	if in.Inside == nobodys {
		return "", s.refuseOperator(ctx, in, kedge.Errorf(kedge.Blocked, "this program runs in a check or a service of the project, so it may not control a run").WithHint("ask the user to run the command in a terminal of their own"))
	}
	if in.Inside != "" {
		if err := s.RefuseToRuns(ctx, projects.Caller{Dir: in.Dir, Actor: kedge.Agent(in.Inside)}, "operator "+in.Act); err != nil {
			return "", err
		}
	}
	list, err := process.ReadOperators(s.home.Dir)
	if err != nil {
		return "", err
	}
	name, ok := process.OperatorOf(list, in.Token)
	switch {
	case !ok:
		return "", s.refuseOperator(ctx, in, kedge.Errorf(kedge.Blocked, "Kedge does not accept the token in KEDGE_OPERATOR: no operator has it now, and the user may have revoked it").
			WithHint("ask the user for a new token: kedge operator add NAME"))
	case !in.May:
		return "", s.refuseOperator(ctx, in, kedge.Errorf(kedge.Blocked, "an operator may only show, pause, continue or stop a run, or send messages to its sessions").
			WithHint("ask the user to run the command in a terminal of their own"))
	}
	return name, nil
}

// refuseOperator records that a pass was refused, in the journal of the project that the
// caller is in, and gives the refusal. Outside of every project there is no journal.
func (s *Manager) refuseOperator(ctx context.Context, in OperatorPass, refused *kedge.Error) error {
	p, err := s.home.OfSessions(ctx, projects.Caller{Dir: in.Dir})
	if err != nil || s.home.ReadOnly {
		return refused
	}
	who, inside := projects.Caller{Dir: in.Dir, Actor: kedge.Human(in.User)}, in.Inside
	if inside == nobodys {
		inside = ""
	}
	if inside != "" {
		who.Actor = kedge.Agent(inside)
	}
	if err := s.home.Refused(ctx, p, who, inside, "operator "+in.Act, refused.Error()); err != nil {
		return err
	}
	return refused
}
