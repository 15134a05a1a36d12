package stats_test

import (
	"testing"
	"time"

	"kedge"
	"kedge/internal/insight/stats"
)

// verdict is one of checks "a" and "b" on a tree.
func verdict(id kedge.EvidenceID, tree, env string, redA bool, msA, msB int64) kedge.Evidence {
	a := kedge.CheckResult{Name: "a", Command: "run a", MS: msA}
	if redA {
		a.FirstFailure, a.Exit = &kedge.Failure{Message: "no"}, 1
	}
	b := kedge.CheckResult{Name: "b", Command: "run b", MS: msB}
	skipped := kedge.CheckResult{Name: "c", Command: "run c", Skipped: "after a failure", Exit: -1}
	return kedge.Evidence{ID: id, Environment: env, Verdict: kedge.Verdict{Tree: tree, Checks: []kedge.CheckResult{a, b, skipped}}}
}

func TestRow112FlakyIsBothWaysOnTheSameFiles(t *testing.T) {
	for _, c := range []struct {
		name string
		list []kedge.Evidence
		want int
	}{
		{"same tree", []kedge.Evidence{verdict("1", "t", "e", false, 1, 1), verdict("2", "t", "e", true, 1, 1)}, 1},
		{"another tree", []kedge.Evidence{verdict("1", "t", "e", false, 1, 1), verdict("2", "u", "e", true, 1, 1)}, 0},
		{"another environment", []kedge.Evidence{verdict("1", "t", "e", false, 1, 1), verdict("2", "t", "f", true, 1, 1)}, 0},
		{"unknown trees", []kedge.Evidence{verdict("1", "", "e", false, 1, 1), verdict("2", "", "e", true, 1, 1)}, 0},
		{"always red", []kedge.Evidence{verdict("1", "t", "e", true, 1, 1), verdict("2", "t", "e", true, 1, 1)}, 0},
	} {
		flaky, _ := stats.CheckHygiene(c.list, time.Hour)
		if len(flaky) != c.want {
			t.Errorf("%s: %+v", c.name, flaky)
		}
		if c.want == 1 && (flaky[0].Name != "a" || flaky[0].Runs != 2 || flaky[0].Red != 1 || flaky[0].Evidence[0].Green[0] != "1" || flaky[0].Evidence[0].Red[0] != "2") {
			t.Errorf("%s: %+v", c.name, flaky[0])
		}
	}
}

func TestRow112SlowIsByMedianAndShare(t *testing.T) {
	list := []kedge.Evidence{
		verdict("1", "t", "", false, 100, 4000), verdict("2", "t", "", false, 90_000, 5000), verdict("3", "t", "", false, 200, 6000),
	}
	_, slow := stats.CheckHygiene(list, 10*time.Second)
	if len(slow) != 0 { // a took long once; b takes little of the time
		t.Errorf("%+v", slow)
	}
	_, slow = stats.CheckHygiene(list, 5*time.Second)
	if len(slow) != 1 || slow[0].Name != "b" || slow[0].MedianMS != 5000 || slow[0].MaxMS != 6000 || slow[0].TotalMS != 15000 || slow[0].Evidence[0] != "3" {
		t.Errorf("%+v", slow)
	}
	_, slow = stats.CheckHygiene([]kedge.Evidence{verdict("1", "t", "", false, 100, 2000)}, time.Hour)
	if len(slow) != 1 || slow[0].Name != "b" || slow[0].Share < 0.9 { // most of the time
		t.Errorf("%+v", slow)
	}
}
