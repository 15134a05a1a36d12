package redact

import (
	"strings"

	"kedge/internal/text/lazyre"
)

// family is one kind of secret. hints are words of which one must occur, and stems
// such in small letters that may occur in letters of any case, each of at least three
// bytes; near tells whether what follows a hint or a stem can be the rest of a match. ok
// has the last word on a match where a pattern alone would be too eager.
type family struct {
	name  string
	hints []string
	stems []string
	near  func(rest string) bool
	re    *lazyre.Regexp
	ok    func(secret string) bool
}

// re is short so that the table can be read.
func re(s string) *lazyre.Regexp { return lazyre.New(s) }

// families is the table, the specific before the generic. No pattern looks at
// what follows it: a match depends only on what it consumes and on the word
// boundary before it, so that taking one secret out uncovers no other on its
// left.
var families = []family{
	{name: "private-key", hints: []string{"PRIVATE KEY"}, re: re(
		`-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----` +
			`(?:(?:\\+[nr]|\s)*(?:Proc-Type|DEK-Info|Version|Comment)[^\n\\]*)*` +
			`[A-Za-z0-9+/=\s\\]*(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?`)},
	{name: "anthropic", hints: []string{"sk-ant-"}, re: re(`\bsk-ant-[A-Za-z0-9_-]{16,}`)},
	{name: "openai", hints: []string{"sk-"}, re: re(`\bsk-(?:(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20,}|(?:or-v1-)?[A-Za-z0-9]{32,})`)},
	{name: "kedge-operator", hints: []string{"kedge-operator-"}, re: re(`\bkedge-operator-[A-Z2-7]{26,}`)},
	{name: "github", hints: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, re: re(`\bgh[pousr]_[A-Za-z0-9]{36,}`)},
	{name: "github-fine-grained", hints: []string{"github_pat_"}, re: re(`\bgithub_pat_[A-Za-z0-9_]{22,}`)},
	{name: "gitlab", hints: []string{"glpat-", "glptt-", "glrt-", "gldt-", "glsoat-", "glcbt-", "glft-", "glagent-"}, re: re(`\bgl(?:pat|ptt|rt|dt|soat|cbt|ft|agent)-[A-Za-z0-9_.-]{20,}`)},
	{name: "aws-key-id", hints: []string{"AKIA", "ASIA"}, re: re(`\b(?:AKIA|ASIA)[0-9A-Z]{16}`)},
	{name: "aws-secret", stems: []string{"aws"}, re: re(
		`(?i)\baws_?(?:secret_?)?(?:access_?)?(?:secret_?)?key["']?\s*(?:=|:|=>)\s*["']?([A-Za-z0-9/+]{40})`)},
	{name: "google-api", hints: []string{"AIza"}, re: re(`\bAIza[0-9A-Za-z_-]{35}`)},
	{name: "google-oauth", hints: []string{"GOCSPX-", "ya29."}, re: re(`\b(?:GOCSPX-[A-Za-z0-9_-]{20,}|ya29\.[A-Za-z0-9_-]{20,})`)},
	{name: "slack", hints: []string{"xox", "xapp-"}, re: re(`\b(?:xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{10,})`)},
	{name: "slack-webhook", hints: []string{"hooks.slack.com"}, re: re(`\bhooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/_-]{16,})`)},
	{name: "stripe", hints: []string{"_live_", "_test_", "whsec_"}, re: re(`\b(?:[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{24,})`)},
	{name: "twilio", hints: []string{"SK0", "SK1", "SK2", "SK3", "SK4", "SK5", "SK6", "SK7", "SK8", "SK9", "SKa", "SKb", "SKc", "SKd", "SKe", "SKf"}, re: re(`\bSK[0-9a-f]{32}`)},
	{name: "sendgrid", hints: []string{"SG."}, re: re(`\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`)},
	{name: "npm", hints: []string{"npm_"}, re: re(`\bnpm_[A-Za-z0-9]{36,}`)},
	{name: "pypi", hints: []string{"pypi-"}, re: re(`\bpypi-AgE[A-Za-z0-9_-]{40,}`)},
	{name: "huggingface", hints: []string{"hf_"}, re: re(`\bhf_[A-Za-z0-9]{30,}`)},
	{name: "azure", hints: []string{"AccountKey", "SharedAccessKey", "SharedAccessSignature"}, re: re(
		`(?:AccountKey|SharedAccessKey|SharedAccessSignature)=([A-Za-z0-9+/=%&_.-]{24,})`)},
	{name: "digitalocean", hints: []string{"_v1_"}, re: re(`\bdo[opr]_v1_[0-9a-f]{64}`)},
	{name: "telegram", hints: []string{":AA"}, re: re(`\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}`)},
	{name: "jwt", hints: []string{"eyJ"}, re: re(`\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}`)},
	{name: "shopify", hints: []string{"shp"}, re: re(`\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}`)},
	{name: "vault", hints: []string{"hvs.", "hvb."}, re: re(`\bhv[sb]\.[A-Za-z0-9_-]{24,}`)},
	{name: "age", hints: []string{"AGE-SECRET-KEY-1"}, re: re(`\bAGE-SECRET-KEY-1[0-9A-Z]{40,}`)},
	{name: "groq", hints: []string{"gsk_"}, re: re(`\bgsk_[A-Za-z0-9]{40,}`)},
	{name: "xai", hints: []string{"xai-"}, re: re(`\bxai-[A-Za-z0-9]{40,}`)},
	{name: "linear", hints: []string{"lin_api_"}, re: re(`\blin_api_[A-Za-z0-9]{32,}`)},
	{name: "databricks", hints: []string{"dapi"}, re: re(`\bdapi[0-9a-f]{32}`)},
	{name: "atlassian", hints: []string{"ATATT3"}, re: re(`\bATATT3[A-Za-z0-9_=-]{40,}`)},
	{name: "url-password", hints: []string{"://"}, near: hasPassword, ok: literal, re: re(`\b[A-Za-z][A-Za-z0-9+.-]{0,30}://[^/\s:@"'<>]*:([^/\s@"'<>]+)@`)},
	{name: "authorization", stems: []string{"authorization"}, near: hasValue, ok: literal, re: re(
		`(?i)\bauthorization\\?["']?\s*[:=]\s*\\?["']?(?:bearer|basic|token)\s+([A-Za-z0-9._~+/=-]{8,})`)},
	{name: "bearer", stems: []string{"bearer "}, near: bears, ok: mixed, re: re(`(?i)\bbearer ([A-Za-z0-9._~+/=-]{20,})`)},
	{name: "assignment", hints: []string{"SECRET=", "_KEY=", "TOKEN=", "PASSWORD=", "PASSWD=", "APIKEY=", "CREDENTIALS="}, ok: literal, re: re(
		`\b(?:[A-Z0-9]+_)*(?:SECRET|SECRET_KEY|SECRET_ACCESS_KEY|TOKEN|PASSWORD|PASSWD|API_?KEY|ACCESS_KEY|PRIVATE_KEY|CREDENTIALS)=["']?([^\s"'\\,;|&<>()]{6,})`)},
	{name: "quoted", stems: []string{"secret", "token", "passwd", "password", "key"}, near: isQuoted, ok: mixed, re: re(
		`(?i)\b[a-z0-9_.-]*(?:secret|secret_?key|token|passw(?:or)?d|api_?key|access_?key|private_?key)\\?["']?\s*(?:=|:=|:|=>)\s*\\?["']([^\s"'\\]{8,})`)},
}

// literal refuses what stands for a value instead of being one: variables,
// templates, masks and plain yes or no.
func literal(s string) bool {
	if strings.ContainsAny(s[:1], "$%{}<[(*`") {
		return false
	}
	switch strings.ToLower(s) {
	case "true", "false", "none", "null", "undefined", "required", "optional":
		return false
	default:
		return strings.Trim(s, "*.xX•-_") != ""
	}
}

// mixed accepts a literal that has both letters and digits: the generic
// patterns also meet prose and source text, which rarely does.
func mixed(s string) bool {
	return literal(s) && strings.ContainsAny(s, "0123456789") &&
		strings.ContainsFunc(s, func(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' })
}
