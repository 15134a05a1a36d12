package main

import (
	"encoding/json"
	"os"

	"github.com/rogpeppe/go-internal/testscript"

	"kedge/internal/app/reports"
	"kedge/internal/testkit/modelserver"
)

// accounted [-known]: what `kedge cost` says that the sessions used is what the model
// served, all that it was asked beside the work included. With -known not, it may be
// less, if Kedge says that it does not know all of it. That is so with the transcripts
// that the agent left, and without them, by what Kedge heard while it worked.
func accounted(ts *testscript.TestScript, neg bool, args []string) {
	known := len(args) == 1 && args[0] == "-known"
	if neg || len(args) > 0 && !known {
		ts.Fatalf("usage: accounted [-known]")
	}
	total := ts.Value(modelKey{}).(*modelserver.Server).Everything()
	if total.Output == 0 {
		ts.Fatalf("the model served nothing")
	}
	home, none := ts.Getenv("HOME"), ts.MkAbs("nowhere")
	ts.Check(os.MkdirAll(none, 0o700))
	for by, at := range map[string]string{"transcripts": home, "what was heard": none} {
		ts.Setenv("HOME", at)
		err := ts.Exec("kedge", "cost", "--json")
		ts.Setenv("HOME", home)
		ts.Check(err)
		var out reports.CostReply
		ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &out))
		var got modelserver.Usage
		if k := out.Total.Kinds; k != nil {
			got = modelserver.Usage{Input: k.Input, CacheRead: k.CacheRead, CacheWrite: k.CacheWrite, Output: k.Output}
		}
		want := total
		if got.CacheWrite == 0 { // a protocol that has no figure for it
			want.Input, want.CacheWrite = want.Input+want.CacheWrite, 0
		}
		unknown := out.Total.UnknownTokens
		ts.Logf("by %s: %+v, not all of %d sessions; served %+v", by, got, unknown, want)
		less := want.Sub(got)
		switch {
		case min(less.Input, less.CacheRead, less.CacheWrite, less.Output) < 0:
			ts.Fatalf("by %s the sessions used more than was served", by)
		case less != (modelserver.Usage{}) && (known || unknown == 0):
			ts.Fatalf("by %s the sessions used less than was served", by)
		}
	}
}
