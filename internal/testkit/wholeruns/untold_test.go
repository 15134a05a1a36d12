package wholeruns_test

import (
	"os"
	"path/filepath"
	"testing"

	"kedge"
	"kedge/internal/app/runs"
	"kedge/internal/core/run"
)

// slowTeller speaks as much of Codex's protocol as a session needs. It writes down
// what a reply used before it tells it; the first time it is killed in between.
const slowTeller = `[ "$1" = --version ] && exit 0
mkdir -p "$CODEX_HOME/sessions/2026/11/16"
record() {
	echo '{"timestamp":"'$(date -u +%Y-%m-%dT%H:%M:%S).999Z'","type":"turn_context","payload":{"model":"gpt-5.5"}}'
	echo '{"timestamp":"'$(date -u +%Y-%m-%dT%H:%M:%S).999Z'","type":"token_usage_record","payload":{"response_id":"'$1'","usage":{"input_tokens":120,"cached_input_tokens":20,"output_tokens":7,"total_tokens":127},"thread_token_usage":{"total_tokens":'$1'}}}'
}
book=$CODEX_HOME/sessions/2026/11/16/rollout-2026-11-16T00-00-00-talk-1.jsonl
read hello; echo '{"id":1,"result":{"userAgent":"kedge/0.166.0 (here)"}}'
read ready; read thread; echo '{"id":2,"result":{"thread":{"id":"talk-1"},"model":"gpt-5.5"}}'
read turn; echo '{"id":3,"result":{}}'
echo '{"method":"turn/started","params":{"threadId":"talk-1","turn":{"id":"u"}}}'
if ! [ -e "$book" ]; then
	record 127 >>"$book"
	kill -9 $$
fi
record 254 >>"$book"
echo ok >a.txt
echo '{"method":"thread/tokenUsage/updated","params":{"threadId":"talk-1","tokenUsage":{"total":{"totalTokens":254},"last":{"totalTokens":127,"inputTokens":120,"cachedInputTokens":20,"outputTokens":7}}}}'
echo '{"method":"turn/completed","params":{"threadId":"talk-1","turn":{"id":"u","status":"completed"}}}'
cat >/dev/null
`

// A session that is killed before it told what a reply used has it in what its
// program wrote down: it counts, once, and it is known how full the context was.
func TestUsedAndNotToldIsMadeGood(t *testing.T) {
	w := newWorld(t, map[string]string{"codex.sh": slowTeller}, "",
		"[agents.codex]\nkind = \"codex\"\ncommand = [\"sh\", \"codex.sh\"]\n[run]\nagent = \"codex\"\nmcp = false\n[context]\nwindow = { \"gpt-*\" = 1000 }\n")
	w.feature("a", "test -f a.txt")
	w.commit("ledger")
	home := filepath.Join(filepath.Dir(w.dir), "codex")
	if _, err := w.svc.RunStart(w.ctx, w.caller(), runs.RunStartRequest{Env: append(os.Environ(), "CODEX_HOME="+home)}); err != nil {
		t.Fatal(err)
	}
	w.want(w.rest(), run.StatusDone, "", "a:completed")
	all := w.sessions()
	if got := w.begins(); got != "fresh native" {
		t.Fatalf("%s\n%s", got, w.story())
	}
	for i, s := range all {
		if s.Kinds == nil || *s.Kinds != (kedge.TokenKinds{Input: 100, CacheRead: 20, Output: 7}) || s.ContextTokens == nil || *s.ContextTokens != 127 {
			t.Errorf("session %d used %+v, context %v", i, s.Kinds, s.ContextTokens)
		}
	}
}
