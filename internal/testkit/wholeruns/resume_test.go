package wholeruns_test

import (
	"os"
	"strings"
	"testing"

	"kedge/internal/app/runs"
	"kedge/internal/app/supply"
	"kedge/internal/core/run"
)

// shell makes a world whose agent is a shell script; talk NAME USED names its
// conversation, and says how much of a context of a hundred is used.
func shell(t *testing.T, script, config string) *world {
	t.Helper()
	return newWorld(t, map[string]string{"bot.sh": `cat > /dev/null
talk() {
	echo 'KEDGE {"type":"conversation","id":"'$1'"}'
	[ -z "$2" ] || echo 'KEDGE {"type":"usage","input_tokens":10,"output_tokens":1,"context_tokens":'$2',"context_window":100}'
}
` + script}, "", "[agents.sh]\nkind = \"command\"\ncommand = [\"sh\", \"bot.sh\"]\n[run]\nagent = \"sh\"\n"+config)
}

// begins are how the sessions began, the oldest first.
func (w *world) begins() string {
	w.t.Helper()
	var out []string
	for _, s := range w.sessions() {
		if s.Begun == nil || s.Begun.Why == "" {
			w.t.Fatalf("a session says not how it began: %+v", s)
		}
		out = append(out, string(s.Begun.How))
	}
	return strings.Join(out, " ")
}

// TestRow46KilledSessionGoesOnInItsConversation: natively while there is room in its
// context, in the same worktree, with a short word instead of a whole brief.
func TestRow46KilledSessionGoesOnInItsConversation(t *testing.T) {
	w := shell(t, `case $KEDGE_NUMBER in
1) talk c-1 20; echo x > half.txt; kill -9 $$ ;;
*) test -f half.txt && test "$KEDGE_RESUME" = c-1 && echo ok > a.txt ;;
esac
`, "")
	w.feature("a", "test -f a.txt")
	w.want(w.run(supply.Flags{}), run.StatusDone, "", "a:completed")
	if got := w.begins(); got != "fresh native" {
		t.Fatalf("%s\n%s", got, w.story())
	}
	all := w.sessions()
	if b := all[1].Begun; !strings.Contains(b.Why, "20% full") || all[1].Conversation != "c-1" || all[1].Dir != all[0].Dir {
		t.Errorf("%+v %+v", b, all[1])
	}
	text := w.brief(all[1].ID)
	if !strings.Contains(text, "You were interrupted (it was killed") || !strings.Contains(text, "test -f a.txt") || !strings.Contains(text, "half.txt") {
		t.Errorf("it was told\n%s", text)
	}
	if len(text) >= len(w.brief(all[0].ID)) {
		t.Errorf("%d bytes are told to whom knows it all, %d to a fresh one", len(text), len(w.brief(all[0].ID)))
	}
}

// TestRow46FreshWhereTheContextIsFull: above the handover, or unknown, a fresh
// session starts from the checkpoint.
func TestRow46FreshWhereTheContextIsFull(t *testing.T) {
	w := shell(t, `case $KEDGE_FEATURE$KEDGE_NUMBER in
a1) talk c-1 62; kill -9 $$ ;;
b1) talk c-2; kill -9 $$ ;;
*) test -z "$KEDGE_RESUME" && echo ok > $KEDGE_FEATURE.txt ;;
esac
`, "[context]\nhandover = 0.61\n")
	w.feature("a", "test -f a.txt")
	w.feature("b", "test -f b.txt", after("a"))
	w.want(w.run(supply.Flags{}), run.StatusDone, "", "a:completed b:completed")
	if got := w.begins(); got != "fresh fresh fresh fresh" {
		t.Fatalf("%s\n%s", got, w.story())
	}
	all := w.sessions()
	if a, b := all[1].Begun.Why, all[3].Begun.Why; !strings.Contains(a, "62") || !strings.Contains(b, "it is unknown how full") {
		t.Errorf("%q, %q", a, b)
	}
}

// TestRow46LostConversationIsReplacedOnce: a conversation that the agent does not
// find any more gets a fresh session, and nobody crashed.
func TestRow46LostConversationIsReplacedOnce(t *testing.T) {
	w := shell(t, `case $KEDGE_NUMBER in
1) talk c-1 20; kill -9 $$ ;;
2) exit 1 ;;
3) talk c-3 30; exit 3 ;;
*) echo ok > a.txt ;;
esac
`, "")
	w.feature("a", "test -f a.txt")
	w.want(w.run(supply.Flags{}), run.StatusDone, "", "a:completed") // the one crash that is allowed came after it
	if got := w.begins(); got != "fresh native fresh fresh" {
		t.Fatalf("%s\n%s", got, w.story())
	}
	if why := w.sessions()[2].Begun.Why; !strings.Contains(why, "could not be resumed") {
		t.Errorf("%q", why)
	}
}

// TestRow46LimitAndStopGoOn: after a provider's limit, and after a person's stop.
func TestRow46LimitAndStopGoOn(t *testing.T) {
	w := shell(t, `case $KEDGE_NUMBER in
1) talk c-1 20; echo 'KEDGE {"type":"limit","until":1}'; exit 1 ;;
2) talk c-1 30; exec sleep 100000 ;;
*) echo "$KEDGE_RESUME" > a.txt ;;
esac
`, "")
	w.feature("a", "grep c-1 a.txt")
	w.start(supply.Flags{})
	w.until("the second session works", func(v runs.RunView) bool {
		return len(v.Jobs) == 1 && v.Sessions == 2 && v.Jobs[0].Phase == run.Working && v.Jobs[0].ContextTokens != nil
	})
	if _, err := w.svc.RunStop(w.ctx, w.caller(), runs.RunRequest{}); err != nil {
		t.Fatal(err)
	}
	if v := w.rest(); v.Halt != run.Stopped {
		t.Fatalf("%s %s", v.State, v.Halt)
	}
	if _, err := w.svc.RunContinue(w.ctx, w.caller(), runs.RunContinueRequest{Env: os.Environ()}); err != nil {
		t.Fatal(err)
	}
	w.want(w.rest(), run.StatusDone, "", "a:completed")
	if got := w.begins(); got != "fresh native native" {
		t.Fatalf("%s\n%s", got, w.story())
	}
	all := w.sessions()
	if a, b := all[1].Begun.Why, all[2].Begun.Why; !strings.Contains(a, "provider's limit") || !strings.Contains(b, "stopped by ada") {
		t.Errorf("%q, %q", a, b)
	}
}

// TestRow77ShareOfAModelWhereASessionGoesOn: whether an interrupted session goes on in its
// conversation is decided by the share of its model, and of the one that it had last.
func TestRow77ShareOfAModelWhereASessionGoesOn(t *testing.T) {
	w := shell(t, `used() {
	echo 'KEDGE {"type":"usage","model":"'$1'","input_tokens":10,"output_tokens":1,"context_tokens":'$2',"context_window":100}'
}
case $KEDGE_FEATURE$KEDGE_NUMBER in
a1) talk c-1; used large-1 75; kill -9 $$ ;;
b1) talk c-2; used small-1 10; used large-1 75; kill -9 $$ ;;
c1) talk c-3; used large-1 30; used small-1 30; kill -9 $$ ;;
*) echo "$KEDGE_RESUME" >$KEDGE_FEATURE.txt ;;
esac
`, "[context.handover_of]\n\"large-*\" = 0.9\n\"small-*\" = 0.2\n")
	w.feature("a", "test -f a.txt")
	w.feature("b", "test -f b.txt", after("a"))
	w.feature("c", "test -f c.txt", after("b"))
	w.want(w.run(supply.Flags{}), run.StatusDone, "", "a:completed b:completed c:completed")
	if got := w.begins(); got != "fresh native fresh native fresh fresh" {
		t.Errorf("%s\n%s", got, w.story())
	}
}
