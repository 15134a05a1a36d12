package plan_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/plan"
)

const limited = `---
version: 1
title: Limits
status: drafting
---
## Questions
none

## Root cause
x

## Files expected to change
- cmd/*.go: all of it
- docs/

## Assumptions
x

## Phase 1: one {#p1}
- [ ] p1.1 with paths
  check: true
  paths: src/**
  paths: doc.md
- [ ] p1.2 without
  check: true
`

func TestRow28ItemsWithoutPathsHaveThoseOfThePlan(t *testing.T) {
	d, err := plan.ParsePlan(".kedge/plan.md", []byte(limited))
	if err != nil {
		t.Fatal(err)
	}
	for taken, prefix := range map[bool]string{false: "", true: "limits-"} {
		made := plan.Features(d.Plan, func(id kedge.FeatureID) bool { return taken && id == "p1.1" })
		for i, want := range []struct {
			paths []string
			where string
		}{{[]string{"src/**", "doc.md"}, ".kedge/plan.md:22"}, {[]string{"cmd/*.go", "docs/**"}, ".kedge/plan.md:12"}} {
			def := made[i].Definition
			if !slices.Equal(def.Paths, want.paths) || !strings.HasPrefix(string(def.ID), prefix) {
				t.Errorf("%s may change %q, want %q", def.ID, def.Paths, want.paths)
			}
			read := func(file string) []byte {
				if file == ".kedge/plan.md" {
					return []byte(limited)
				}
				return nil
			}
			if at := plan.LimitedBy(def, read); at != want.where {
				t.Errorf("%s is limited by %q, want %q", def.ID, at, want.where)
			}
			def.Paths = append(def.Paths, "more")
			if at := plan.LimitedBy(def, read); at != "" {
				t.Errorf("amended, %s is limited by %q", def.ID, at)
			}
		}
	}
}

func TestProseLimitsNothing(t *testing.T) {
	d, err := plan.ParsePlan("plan.md", []byte(strings.Replace(limited, "- cmd/*.go: all of it\n- docs/", "Whatever it takes.", 1)))
	if err != nil {
		t.Fatal(err)
	}
	def := plan.Features(d.Plan, func(kedge.FeatureID) bool { return false })[1].Definition
	if len(def.Paths) != 0 || plan.LimitedBy(def, func(string) []byte { return []byte(limited) }) != "" {
		t.Errorf("may change only %q", def.Paths)
	}
}

func TestLimitOfAFeatureInTheFile(t *testing.T) {
	list := []kedge.Feature{
		{Definition: kedge.Definition{ID: "a", Name: "A", Paths: []string{"a/**"}}},
		{Definition: kedge.Definition{ID: "b", Name: "B", Paths: []string{"b/**"}}},
	}
	text := plan.WriteFeatures(plan.FeatureFile{Version: plan.FileVersion, Project: "p", Features: list})
	at := plan.LimitedBy(list[1].Definition, func(file string) []byte {
		if file == ".kedge/features.json" {
			return text
		}
		return nil
	})
	number, ok := strings.CutPrefix(at, ".kedge/features.json:")
	n, err := strconv.Atoi(number)
	if !ok || err != nil {
		t.Fatalf("limited by %q", at)
	}
	lines := strings.Split(string(text), "\n")
	if !strings.Contains(lines[n-1], `"paths"`) || !strings.Contains(strings.Join(lines[n-1:n+2], ""), "b/**") {
		t.Errorf("%s is %q", at, lines[n-1:])
	}
}

// TestRow28OlderFeaturesAreLimitedByTheirPlan: one without paths has those of the
// approved plan that it was made from, and of nothing else.
func TestRow28OlderFeaturesAreLimitedByTheirPlan(t *testing.T) {
	approved := strings.Replace(limited, "status: drafting", "status: approved", 1)
	for _, of := range []struct {
		name, text, id, phase string
		paths, want           []string
	}{
		{"made from it", approved, "p1.2", "p1", nil, []string{"cmd/*.go", "docs/**"}},
		{"under another name", approved, "limits-p1.2", "p1", nil, []string{"cmd/*.go", "docs/**"}},
		{"with its own", approved, "p1.2", "p1", []string{"x"}, []string{"x"}},
		{"not made from it", approved, "mine", "p1", nil, nil},
		{"of another phase", approved, "p1.2", "p2", nil, nil},
		{"a draft", limited, "p1.2", "p1", nil, nil},
		{"no plan", "", "p1.2", "p1", nil, nil},
	} {
		def := kedge.Definition{ID: kedge.FeatureID(of.id), Phase: of.phase, Paths: of.paths}
		if got := plan.Limited(def, []byte(of.text)).Paths; !slices.Equal(got, of.want) {
			t.Errorf("%s: may change %q, want %q", of.name, got, of.want)
		}
	}
}
