package supply

import (
	"testing"
)

// TestBeginStepWorksAsItStands: the command that starts a run names an agent wherever
// kedge run alone would refuse, and the one that you gave before all others.
func TestBeginStepWorksAsItStands(t *testing.T) {
	for name, c := range map[string]struct {
		known setting
		args  []string
		want  string
	}{
		"the settings name one":       {known: setting{committed: "bot"}, want: "kedge run"},
		"the settings, with a phase":  {known: setting{committed: "bot"}, args: []string{"--until", "2"}, want: "kedge run --until 2"},
		"you gave one":                {known: setting{given: "claude:opus", committed: "bot"}, want: "kedge run --agent claude:opus"},
		"you gave one, with a phase":  {known: setting{given: "bot"}, args: []string{"--until", "2"}, want: "kedge run --until 2 --agent bot"},
		"typed and not committed":     {known: setting{typed: "bot"}, want: "git commit -m 'settings of Kedge' :/.kedge/config.toml && kedge run"},
		"none named, two installed":   {known: setting{installed: []string{"claude", "codex"}}, want: "kedge run --agent claude"},
		"none named, none installed":  {want: "kedge run --agent NAME"},
		"the settings cannot be read": {known: setting{given: "bot", broken: true}, want: "kedge doctor"},
	} {
		got := beginStep(c.known, "start a run", c.args)
		if got.String() != c.want {
			t.Errorf("%s: %s, not %s", name, got, c.want)
		}
		if got.Why == "" {
			t.Errorf("%s: it does not say what for", name)
		}
	}
}

func TestFlagsAreTypedAgain(t *testing.T) {
	all := Flags{Agent: "bot:small", Parallel: 2, BudgetUSD: 1.5, Until: "the first phase"}
	for got, want := range map[string]string{
		Flags{}.Command().String():             "kedge run",
		all.Command().String():                 "kedge run --agent bot:small --parallel 2 --budget-usd 1.5 --until 'the first phase'",
		all.CommandFor("a b").String():         "kedge plan 'a b' --agent bot:small --parallel 2 --budget-usd 1.5 --until 'the first phase'",
		Flags{}.CommandFor("a\nb").String():    "kedge plan GOAL",
		Flags{}.CommandFor("it's").String():    `kedge plan 'it'\''s'`,
		Flags{}.Words():                        "",
		Flags{Agent: "a", Parallel: 2}.Words(): "--agent a --parallel 2",
	} {
		if got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
}
