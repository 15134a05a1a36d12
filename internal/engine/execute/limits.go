package execute

import (
	"context"

	"kedge/internal/agents/catalog"
	"kedge/internal/core/config"
	"kedge/internal/core/run"
	"kedge/internal/core/watch"
)

// configAt is config.toml as people set it at the command's base.
func (x *Executor) configAt(ctx context.Context, c run.Command) (config.Config, error) {
	if x.cfg.Rules == nil || c.Base == "" {
		return config.Default(catalog.Kinds()), nil
	}
	conf, _, err := x.cfg.Rules.At(ctx, c.Base)
	return conf, err
}

// limits are the thresholds for a session of the command, as people set them at
// its base.
func (x *Executor) limits(ctx context.Context, c run.Command) (watch.Limits, error) {
	conf, err := x.configAt(ctx, c)
	if err != nil {
		return watch.Usual(), err
	}
	l := watch.Configured(conf)
	if x.cfg.Bounds != nil {
		b, err := x.cfg.Bounds(ctx, c)
		if err != nil {
			return l, err
		}
		l.Bounds = b
	}
	l.Planning = c.Purpose == run.MakePlan
	if c.Feature != "" {
		f, err := x.cfg.Ledger.Feature(ctx, c.Feature, "")
		if err != nil {
			return l, err
		}
		l.Paths, l.Steps = f.Paths, len(f.Steps)
	}
	return l, nil
}
