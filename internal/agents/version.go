package agents

import (
	"slices"
	"strconv"
	"strings"

	"kedge/internal/text/lazyre"
)

// VersionState is what Kedge knows of a version of a program.
type VersionState string

// What there is to know.
const (
	Tried      VersionState = "tried"   // driven by Kedge's own tests
	NeverTried VersionState = "untried" // it may work, and nobody knows
	TooOld     VersionState = "too_old" // known to be broken
	Unknown    VersionState = "unknown" // which version it is
)

// Versions are what is known of the versions of a kind of agent.
type Versions struct {
	Tried  []string // driven by the suite of real programs
	Oldest string   // all before it are broken; empty: none is known to be
	Broken string   // what is
	Update string   // the command that brings a newer one
}

// triedVersions gives the versions with which the suite of real programs runs.
func triedVersions(kind string) []string {
	switch kind {
	case "claude":
		return []string{"2.1.197", "2.1.325"}
	case "codex":
		return []string{"0.166.0"}
	case "opencode":
		return []string{"1.18.33"}
	case "copilot":
		return []string{"1.0.102"}
	case "pi":
		return []string{"0.73.1"}
	case "gemini":
		return []string{"0.61.0"}
	case "qwen":
		return []string{"0.15.10"}
	default:
		return nil
	}
}

// Untried says that a version of a program is none that was ever driven: it may
// work, and nobody knows. A program that does not say its version is not spoken of.
func Untried(kind, version string) bool {
	known := triedVersions(kind)
	return len(known) > 0 && version != "" && !slices.Contains(known, version)
}

// VersionsOf gives them; of a kind of which none was tried, nothing.
func VersionsOf(kind string) Versions {
	v := Versions{Tried: triedVersions(kind)}
	switch kind {
	case "claude":
		v.Oldest, v.Update = "2.1.2", "npm install -g @anthropic-ai/claude-code@latest"
		v.Broken = "a repository's settings take effect before anybody trusts them (CVE-2026-21852, CVE-2026-25725)"
	case "codex":
		v.Update = "npm install -g @openai/codex@latest"
	}
	return v
}

// Judge says what is known of a version.
func (v Versions) Judge(version string) VersionState {
	switch {
	case version == "":
		return Unknown
	case slices.Contains(v.Tried, version):
		return Tried
	case v.Oldest != "" && before(version, v.Oldest):
		return TooOld
	default:
		return NeverTried
	}
}

// versionNumber is the number in what a program says of its version.
var versionNumber = lazyre.New(`\b[0-9]{1,9}\.[0-9]{1,9}\.[0-9]{1,9}\b`)

// VersionIn finds the number in what a program prints when it is asked for its
// version; empty when there is none.
func VersionIn(text string) string {
	at := versionNumber.FindStringIndex(text)
	if at == nil {
		return ""
	}
	return text[at[0]:at[1]]
}

// before tells whether a version is older than another, number by number.
func before(a, b string) bool {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(x), len(y)) {
		m, _ := strconv.Atoi(x[i]) // of digits, by VersionIn
		n, _ := strconv.Atoi(y[i])
		if m != n {
			return m < n
		}
	}
	return false
}
