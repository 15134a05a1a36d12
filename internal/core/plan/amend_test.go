package plan_test

import (
	"slices"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/plan"
)

const amendable = `---
version: 1
title: Shop
status: approved
---

## Questions
none
## Root cause
none
## Files expected to change
- src/**
## Assumptions
None.
## Invariants
- the API stays
## Risks
None.
## Validation
- ` + "`make`" + `
## Phase 1: one {#p1}
- [ ] p1.1 first
  check: test -f a
- [ ] p1.2 second
  check: test -f b
## Phase 2: two {#p2}
- [ ] p2.1 third
  check: test -f c
`

func planOf(t *testing.T, text string) kedge.Plan {
	t.Helper()
	d, err := plan.ParsePlan("plan.md", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d.Plan
}

// TestAmend: features follow their items; completed ones stay as they are.
func TestAmend(t *testing.T) {
	was := planOf(t, amendable)
	ids := []kedge.FeatureID{"shop-p1.1", "shop-p1.2", "shop-p2.1"}
	taken := func(id kedge.FeatureID) bool { return !strings.HasPrefix(string(id), "shop-") }
	list := map[kedge.FeatureID]kedge.Feature{}
	for _, f := range plan.Features(was, taken) {
		list[f.ID] = kedge.Feature{Definition: f.Definition, FeatureState: kedge.FeatureState{Status: kedge.Pending}}
	}
	done := list["shop-p1.1"]
	done.Status = kedge.Completed
	list["shop-p1.1"] = done
	mine := list["shop-p2.1"] // amended by hand since
	mine.Name = "third, in red"
	list["shop-p2.1"] = mine
	find := func(id kedge.FeatureID) (plan.Known, bool) { f, ok := list[id]; return plan.Known{Feature: f}, ok }
	for name, of := range map[string]struct {
		old, new string
		want     string // an error
		say      func(a plan.Amendment) bool
	}{
		"nothing":   {"", "", "", plan.Amendment.Empty},
		"a comment": {"## Phase 1", "<!-- x -->\n## Phase 1", "", plan.Amendment.Empty},
		"a command": {"`make`", "`make all`", "", func(a plan.Amendment) bool {
			return len(a.Fields) == 1 && a.Fields[0].Field == "Validation" && a.Fields[0].Added[0] == "make all" && a.Fields[0].Removed[0] == "make" && len(a.Changed) == 0
		}},
		"an invariant": {"- the API stays", "- the API stays\n- so does the CLI", "", func(a plan.Amendment) bool {
			return len(a.Fields) == 1 && slices.Equal(a.Fields[0].Added, []string{"so does the CLI"}) && len(a.Fields[0].Removed) == 0
		}},
		"a check": {"test -f c", "test -s c", "", func(a plan.Amendment) bool {
			c := a.Changed
			return len(c) == 1 && slices.Equal(c[0].Keys, []string{"checks"}) && c[0].Now.Checks[0].Run == "test -s c" && c[0].Now.Name == "third, in red"
		}},
		"an item more": {"## Phase 2", "- [ ] p1.3 more\n  check: test -f m\n## Phase 2", "", func(a plan.Amendment) bool {
			return len(a.Added) == 1 && a.Added[0].ID == "shop-p1.3" && len(a.Features) == 4 && a.Features[2] == "shop-p1.3" &&
				len(a.Changed) == 1 && slices.Equal(a.Changed[0].Keys, []string{"dependencies"})
		}},
		"an item less": {"- [ ] p1.2 second\n  check: test -f b\n", "", "", func(a plan.Amendment) bool {
			return slices.Equal(a.Removed, []kedge.FeatureID{"shop-p1.2"}) && len(a.Changed) == 1 && len(a.Features) == 2
		}},
		"a completed one less": {"- [ ] p1.1 first\n  check: test -f a\n", "", "", func(a plan.Amendment) bool {
			return slices.Equal(a.Removed, []kedge.FeatureID{"shop-p1.1"})
		}},
		"a completed one":         {"p1.1 first", "p1.1 other", "item p1.1, which is completed", nil},
		"the files, for the open": {"- src/**", "- lib/**", "", func(a plan.Amendment) bool { return len(a.Changed) == 2 && a.Changed[0].ID == "shop-p1.2" }},
		"a phase's budget":        {"{#p2}", "{#p2 budget=2m}", "", func(a plan.Amendment) bool { return len(a.Fields) == 1 && a.Fields[0].Field == "Phases" }},
	} {
		text := amendable
		if of.old != "" {
			text = strings.Replace(text, of.old, of.new, 1)
		}
		a, err := plan.Amend(was, planOf(t, text), ids, find)
		switch {
		case of.want != "":
			if err == nil || !strings.Contains(err.Error(), of.want) {
				t.Errorf("%s: %v", name, err)
			}
		case err != nil || !of.say(a):
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
	if _, err := plan.Amend(was, was, ids[:2], find); !kedge.Conflict.Is(err) {
		t.Errorf("without the features of all items: %v", err)
	}
}

// TestAmendSkippedAndRestored: a skipped feature follows its item, and an item that was
// removed and is back takes its feature back.
func TestAmendSkippedAndRestored(t *testing.T) {
	whole := planOf(t, amendable)
	less := planOf(t, strings.Replace(amendable, "- [ ] p1.2 second\n  check: test -f b\n", "", 1))
	other := planOf(t, strings.Replace(amendable, "test -f b", "test -s b", 1))
	for name, of := range map[string]struct {
		was, now kedge.Plan
		status   kedge.Status // of p1.2
		planned  bool
		want     string // an error
		restored bool
		keys     string // that change of p1.2
	}{
		"a skipped one is changed":            {whole, other, kedge.Skipped, true, "", false, "checks"},
		"a completed one is changed":          {whole, other, kedge.Completed, true, "item p1.2, which is completed", false, ""},
		"a skipped one is back":               {less, whole, kedge.Skipped, true, "", true, ""},
		"a skipped one is back, and changed":  {less, other, kedge.Skipped, true, "", true, "checks"},
		"a completed one is back":             {less, whole, kedge.Completed, true, "", true, ""},
		"a completed one is back, changed":    {less, other, kedge.Completed, true, "item p1.2, which is completed", true, ""},
		"one that was reopened since is back": {less, other, kedge.Pending, true, "", true, "checks"},
		"somebody else's":                     {less, whole, kedge.Skipped, false, "another feature has that id", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			list := map[kedge.FeatureID]plan.Known{}
			for _, f := range plan.Features(whole, func(kedge.FeatureID) bool { return false }) {
				k := plan.Known{Feature: kedge.Feature{Definition: f.Definition, FeatureState: kedge.FeatureState{Status: kedge.Pending}}, Planned: true}
				if f.ID == "p1.2" {
					k.Status, k.Planned = of.status, of.planned
				}
				list[f.ID] = k
			}
			var ids []kedge.FeatureID
			for _, it := range plan.Items(of.was) {
				ids = append(ids, kedge.FeatureID(it.ID))
			}
			a, err := plan.Amend(of.was, of.now, ids, func(id kedge.FeatureID) (plan.Known, bool) { k, ok := list[id]; return k, ok })
			if of.want != "" {
				if err == nil || !strings.Contains(err.Error(), of.want) {
					t.Errorf("%v, want %q", err, of.want)
				}
				return
			}
			keys := ""
			for _, c := range a.Changed {
				if c.ID == "p1.2" {
					keys = strings.Join(c.Keys, ",")
				}
			}
			if err != nil || a.Empty() || len(a.Added) > 0 || slices.Contains(a.Restored, "p1.2") != of.restored || keys != of.keys {
				t.Errorf("%+v, %v", a, err)
			}
		})
	}
}
