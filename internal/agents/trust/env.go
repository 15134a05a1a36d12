package trust

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"kedge/internal/text/lazyre"
)

// setsVariables tells whether a file is of a form in which a name with a value is a
// setting. Scripts and texts are not: what scripts do, their content stands for.
func setsVariables(name string) bool {
	base := strings.ToLower(path.Base(name))
	switch path.Ext(base) {
	case ".json", ".jsonc", ".toml", ".yml", ".yaml":
		return true
	}
	return base == ".envrc" || base == ".env" || strings.HasPrefix(base, ".env.")
}

// assigned is a name that is given a value, in any of these forms.
var assigned = lazyre.New(`([A-Za-z_][A-Za-z0-9_]*)["']?[ \t]*[:=]`)

// lineEnds turns whatever a reader of such files takes for the end of a line into
// one, so that no comment hides what stands behind it.
func lineEnds() *strings.Replacer {
	return strings.NewReplacer("\r", "\n", "\u2028", "\n", "\u2029", "\n")
}

// variables are those of a file that no repository may set.
func (r Rules) variables(name string, b []byte) []Variable {
	var out []Variable
	lines := map[string][]byte{}
	for line := range bytes.Lines([]byte(lineEnds().Replace(string(b)))) {
		line = bytes.TrimSpace(line)
		if bytes.HasPrefix(line, []byte("#")) || bytes.HasPrefix(line, []byte("//")) {
			continue
		}
		for _, m := range assigned.FindAllStringSubmatch(string(line), -1) {
			why := r.Blocked(m[1])
			if why == "" {
				continue
			}
			if lines[m[1]] == nil {
				out = append(out, Variable{Name: m[1], Path: name, Why: why})
			}
			lines[m[1]] = append(append(lines[m[1]], line...), '\n')
		}
	}
	for i, v := range out {
		out[i].SHA256 = sum(append([]byte(v.Name+"\n"), lines[v.Name]...))
	}
	return out
}

// Why a variable is blocked.
const (
	elsewhere = "it can send requests, and the keys in them, to another server"
	loadsCode = "it can make programs load or run other code"
	steersGit = "it changes what git does"
	moves     = "it changes where programs are found, or where they keep settings"
)

// blockedNames are single names by why they are blocked.
var blockedNames = []struct {
	why   string
	names []string
}{
	{elsewhere, []string{
		"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy", "NODE_EXTRA_CA_CERTS", "NODE_TLS_REJECT_UNAUTHORIZED",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "ANTHROPIC_CUSTOM_HEADERS",
	}},
	{loadsCode, []string{
		"NODE_OPTIONS", "NODE_PATH", "BUN_OPTIONS", "PYTHONPATH", "PYTHONSTARTUP", "PYTHONHOME", "RUBYOPT", "RUBYLIB", "PERL5OPT", "PERL5LIB",
		"JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "GOFLAGS", "BASH_ENV", "PROMPT_COMMAND", "SHELLOPTS", "BASHOPTS", "SHELL",
		"EDITOR", "VISUAL", "PAGER", "BROWSER",
	}},
}

// baseURL is where requests go, as variables and settings are called that say it.
var baseURL = lazyre.New(`^(?i:(.*_)?(base_?url|api_?base))$|(BaseU(rl|RL)|A(pi|PI)Base)$`)

// Blocked says why a repository may not set a variable; empty where it may. Where
// requests go is a setting of many names, in any letters.
func (r Rules) Blocked(name string) string {
	switch {
	case baseURL.MatchString(name), strings.HasSuffix(name, "_ENDPOINT"):
		return elsewhere
	case strings.HasPrefix(name, "LD_"), strings.HasPrefix(name, "DYLD_"):
		return loadsCode
	case slices.ContainsFunc(r.Options, func(start string) bool { return strings.HasPrefix(name, start) }):
		return loadsCode
	case strings.HasPrefix(name, "GIT_"):
		return steersGit
	case strings.HasPrefix(name, "KEDGE_"), slices.Contains(r.Moves, name):
		return moves
	}
	for _, b := range blockedNames {
		if slices.Contains(b.names, name) {
			return b.why
		}
	}
	return ""
}
