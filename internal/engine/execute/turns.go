package execute

import (
	"context"
	"errors"
	"os"
	"runtime"

	"kedge"
	"kedge/internal/core/run"
	"kedge/internal/engine/gate"
)

// takeTurn runs a gate when it is its turn. A check that timed out while other gates ran is
// tried alone before it counts: the machine may have been too busy for it. That this is so
// is written down first, so that it is so for whoever finishes the gate.
func (x *Executor) takeTurn(ctx context.Context, c run.Command, dir string, q gate.Request, was gate.Begun) (kedge.Verdict, error) {
	ask := gate.Ask{Begun: was.Tree != "" && x.cfg.Runner != nil} // without holders nothing outlived the one who began it
	if len(q.Checks) > 0 {
		conf, err := x.configAt(ctx, c)
		if err != nil {
			return kedge.Verdict{}, err
		}
		ask.Suites = suites(conf.Gate.Parallel, runtime.NumCPU())
	}
	q.LogDir = dir
	v, beside, err := x.turns.Take(ctx, ask, func() (kedge.Verdict, error) { return x.held(ctx, q) })
	was.Run, was.Tree, was.Beside = c.Run, v.Tree, max(was.Beside, beside)
	if err != nil || was.Beside == 0 || !gate.Late(v) {
		return v, err
	}
	q.LogDir, q.Expect, q.Begin = dir+"-alone", v.Tree, nil
	if err = errors.Join(was.Write(dir), os.MkdirAll(q.LogDir, 0o700)); err == nil {
		err = was.Write(q.LogDir)
	}
	if err != nil {
		return v, err
	}
	alone, _, err := x.turns.Take(ctx, gate.Ask{Alone: true}, func() (kedge.Verdict, error) { return x.held(ctx, q) })
	if leaving(ctx, err) {
		return alone, err
	}
	return gate.TriedAlone(v, alone, was.Beside), errors.Join(err, x.forget(ctx, q.LogDir))
}

// held runs a gate whose lines are left alone where the engine goes away.
func (x *Executor) held(ctx context.Context, q gate.Request) (kedge.Verdict, error) {
	held, done := lasting(ctx)
	defer done()
	return gate.Run(held, q)
}

// suites is how many gates with checks of the project may run at once: half the cores,
// unless the project says otherwise.
func suites(said, cores int) int {
	if said > 0 {
		return said
	}
	return max(cores/2, 1)
}
