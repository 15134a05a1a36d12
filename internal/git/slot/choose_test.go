package slot_test

import (
	"strings"
	"testing"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/git/slot"
)

func TestChoose(t *testing.T) {
	head := git.Head{Branch: "main", Commit: "aaa"}
	refs := map[string]string{
		"refs/heads/main": "aaa", "refs/heads/old": "bbb", "refs/heads/kedge/used": "ccc", "refs/heads/deep/er": "ddd",
		"refs/remotes/origin/remote": "eee",
	}
	places := map[string]string{"main": "/repo", "kedge/living": "/w"}
	for name, of := range map[string]struct {
		session, branch string
		want            slot.Choice
		kind            kedge.Kind // of the error
		says            string
	}{
		"its own":                       {session: "auth", want: slot.Choice{Branch: "kedge/auth", Base: "aaa", Make: true}},
		"a new one":                     {session: "auth", branch: "feature/x", want: slot.Choice{Branch: "feature/x", Base: "aaa", Make: true}},
		"one that is there":             {session: "auth", branch: "old", want: slot.Choice{Branch: "old", Base: "bbb"}},
		"one that the name had":         {session: "used", kind: kedge.Conflict, says: "exists already"},
		"the same, said":                {session: "used", branch: "kedge/used", want: slot.Choice{Branch: "kedge/used", Base: "ccc"}},
		"of a remote":                   {session: "auth", branch: "remote", want: slot.Choice{Branch: "remote", Base: "aaa", Make: true}},
		"checked out here":              {session: "auth", branch: "main", kind: kedge.Conflict, says: `checked out in "/repo"`},
		"checked out elsewhere":         {session: "living", kind: kedge.Conflict, says: `checked out in "/w"`},
		"a folder of another":           {session: "auth", branch: "deep", kind: kedge.Conflict, says: `a branch "deep/er"`},
		"below another":                 {session: "auth", branch: "old/x", kind: kedge.Conflict, says: `a branch "old"`},
		"an option":                     {session: "auth", branch: "-b", kind: kedge.Invalid, says: "not a valid branch name"},
		"HEAD":                          {session: "auth", branch: "HEAD", kind: kedge.Invalid},
		"two dots":                      {session: "auth", branch: "a..b", kind: kedge.Invalid},
		"a control character":           {session: "auth", branch: "a\nb", kind: kedge.Invalid},
		"one of a run":                  {session: "auth", branch: "kedge/run-01hf0000000000000000000000", kind: kedge.Invalid, says: "belongs to a run"},
		"a session called like a run's": {session: "run-01hf0000000000000000000000", kind: kedge.Invalid, says: "belongs to a run"},
	} {
		got, err := slot.Choose(slot.Wish{Session: of.session, Branch: of.branch, Head: head, Refs: refs, Places: places})
		switch {
		case of.kind == "" && (err != nil || got != of.want):
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, of.want)
		case of.kind != "" && (!of.kind.Is(err) || !strings.Contains(err.Error(), of.says) || kedge.HintOf(err) == ""):
			t.Errorf("%s: %v (hint %q), want %s with %q and a hint", name, err, kedge.HintOf(err), of.kind, of.says)
		}
	}
}
