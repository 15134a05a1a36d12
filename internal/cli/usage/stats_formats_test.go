package usage_test

import (
	"bytes"
	"strings"
	"testing"

	"kedge/internal/cli"
	"kedge/internal/cli/frame"
	"kedge/internal/testkit/clitest"
)

// TestStatsForOtherPrograms: both forms come from the same answer.
func TestStatsForOtherPrograms(t *testing.T) {
	for flag, want := range map[string]string{"--prometheus": "kedge_sessions_total{", "--otel": `"resourceMetrics"`} {
		var out, talk bytes.Buffer
		if code := cli.Main(t.Context(), frame.Env{Args: []string{"stats", flag}, Out: &out, Err: &talk, Call: &clitest.Goldens{T: t}}); code != 0 || !strings.Contains(out.String(), want) || talk.Len() > 0 {
			t.Errorf("%s: code %d, %s%s", flag, code, out.String(), talk.String())
		}
	}
	for _, args := range [][]string{{"--prometheus", "--otel"}, {"--prometheus", "--json"}, {"--prometheus", "--since", "7d"}, {"--otel", "--since", "7d"}, {"--otel", "--by", "week"}, {"--since", "soon"}} {
		var out, talk bytes.Buffer
		if code := cli.Main(t.Context(), frame.Env{Args: append([]string{"stats"}, args...), Out: &out, Err: &talk, Call: &clitest.Goldens{T: t}}); code != 2 || out.Len() > 0 {
			t.Errorf("%v: code %d, %s", args, code, out.String())
		}
	}
}
