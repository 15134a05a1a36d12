package verify

import (
	"kedge"
	"kedge/internal/engine/gate"
	"kedge/internal/insight/condense"
	"kedge/internal/text/redact"
)

// GateOutput is the part of a red check's output that matters. The log has all of it.
type GateOutput struct {
	Check string         `json:"check"`
	Lines int            `json:"lines"`
	Shown int            `json:"shown"`
	Cut   []condense.Cut `json:"cut"`
	Text  string         `json:"text"`
	Log   string         `json:"log"`
}

// reply is the answer of a gate, with the outputs if they were asked for.
func (in GateRequest) reply(evs []kedge.Event, err error) (GateReply, error) {
	r, err := gateReply(evs, err)
	if err != nil || !in.Output {
		return r, err
	}
	for _, c := range r.Checks {
		if c.FirstFailure == nil || c.Log == "" {
			continue
		}
		text, err := gate.ReadLog(c.Log)
		if err != nil {
			return r, err
		}
		short := condense.Condense(c.Command, redact.Text(text))
		r.Output = append(r.Output, GateOutput{
			Check: c.Name, Lines: short.Lines, Shown: short.Shown, Cut: append([]condense.Cut{}, short.Cut...), Text: short.Text, Log: c.Log,
		})
	}
	return r, nil
}
