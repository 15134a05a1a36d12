package config_test

import (
	"testing"

	"kedge/internal/core/config"
)

func TestRow76Choose(t *testing.T) {
	table := config.Route{
		Plan: "planner:big", Implement: "worker:mid", Test: "tester", Repair: "mender", Fallback: config.Routes{"spare"},
		Rows: []config.RouteRow{
			{Use: "chief:best", Priority: 5},
			{Use: "second", Phase: "p2", Purpose: "implement"},
			{Use: "second:tuned", Phase: "p3"},
		},
	}
	for name, x := range map[string]struct {
		table config.Route
		work  config.RoutedWork
		want  string // row, agent[:model], why
	}{
		"plan":                          {table, config.RoutedWork{Purpose: "plan", Priority: 9, Usual: "u"}, "route.plan planner:big: it is planning work"},
		"plan, a person named an agent": {table, config.RoutedWork{Purpose: "plan", Priority: 9, Given: "g"}, "route.plan planner:big: it is planning work"},
		"plan, no row":                  {config.Route{Implement: "w"}, config.RoutedWork{Purpose: "plan", Usual: "u", Model: "m"}, "run.agent u: no row of [route] fits this work"},
		"plan, no row, given":           {config.Route{}, config.RoutedWork{Purpose: "plan", Given: "g"}, "--agent g: you named it for this run"},
		"implement":                     {table, config.RoutedWork{Purpose: "implement", Priority: 9}, "route.implement worker:mid: it implements a feature"},
		"implement, the plan's model":   {table, config.RoutedWork{Purpose: "implement", Priority: 9, Model: "m"}, "route.implement worker:m: it implements a feature; the plan names the model of the phase"},
		"repair":                        {table, config.RoutedWork{Purpose: "repair", Priority: 9}, "route.repair mender: it repairs a red check"},
		"fix, no row":                   {table, config.RoutedWork{Purpose: "fix", Priority: 9}, "route.implement worker:mid: [route] has no row for fix"},
		"test":                          {table, config.RoutedWork{Purpose: "implement", Category: "test", Priority: 9}, "route.test tester: the feature's category is test"},
		"repair of a test":              {table, config.RoutedWork{Purpose: "repair", Category: "test", Priority: 9}, "route.repair mender: it repairs a red check"},
		"review, no row":                {table, config.RoutedWork{Purpose: "implement", Category: "review", Priority: 9}, "route.implement worker:mid: it implements a feature"},
		"priority":                      {table, config.RoutedWork{Purpose: "repair", Priority: 5, Model: "m"}, "route.rows[1] chief:best: priority 5 is at most 5"},
		"phase":                         {table, config.RoutedWork{Purpose: "implement", Phase: "p2", Priority: 9, Model: "m"}, "route.rows[2] second:m: purpose implement, phase p2; the plan names the model of the phase"},
		"phase, another purpose":        {table, config.RoutedWork{Purpose: "repair", Phase: "p2", Priority: 9}, "route.repair mender: it repairs a red check"},
		"phase, the row's model":        {table, config.RoutedWork{Purpose: "repair", Phase: "p3", Priority: 9, Model: "m"}, "route.rows[3] second:tuned: phase p3"},
		"given":                         {table, config.RoutedWork{Purpose: "implement", Priority: 1, Given: "g:x"}, "--agent g:x: you named it for this run"},
		"given, the plan's model":       {table, config.RoutedWork{Purpose: "implement", Given: "g:x", Model: "m"}, "--agent g:m: you named it for this run; the plan names the model of the phase"},
		"fallback":                      {table, config.RoutedWork{Purpose: "implement", Given: "g", Fallback: "spare:small", Model: "m"}, "route.fallback spare:small: the provider of the previous session is at its limit"},
		"nobody":                        {config.Route{}, config.RoutedWork{Purpose: "implement", Model: "m"}, "run.agent : no row of [route] fits this work"},
		"a row for all":                 {config.Route{Rows: []config.RouteRow{{Use: "all"}}}, config.RoutedWork{Purpose: "fix"}, "route.rows[1] all: this row is for all work"},
	} {
		got := config.ChooseAgent(x.table, x.work)
		if text := got.Row + " " + got.Name() + ": " + got.Why; text != x.want {
			t.Errorf("%s: %q, want %q", name, text, x.want)
		}
	}
}
