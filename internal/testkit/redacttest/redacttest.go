// Package redacttest has one made-up secret of each family that package redact knows, for
// tests that look for secrets in places where none may be. None was ever valid. Each is
// put together from parts, so that no scanner reports the source.
package redacttest

import "strings"

// Canaries gives by family, as it appears in "[redacted:<family>]", a text in
// which a secret of that family occurs the way it does in the wild.
func Canaries() map[string]string {
	c := map[string]string{}
	for _, k := range table() {
		c[k.family] = k.before + k.secret + k.after
	}
	return c
}

// Secrets gives the bare secret of each family: what must be found nowhere.
func Secrets() map[string]string {
	c := map[string]string{}
	for _, k := range table() {
		c[k.family] = k.secret
	}
	return c
}

type canary struct{ family, before, secret, after string }

// mix is n characters that look random and are not.
func mix(n int) string {
	return strings.Repeat("aB3dE5gH7jK9mN1pQ2rS4tU6", n/24+1)[:n]
}

func hex(n int) string { return strings.Repeat("0a1b2c3d4e5f6978", n/16+1)[:n] }

func upper(n int) string { return strings.Repeat("A1B2C3D4E5F6G7H8", n/16+1)[:n] }

func table() []canary {
	return []canary{
		{"private-key", "", "-----BEGIN RSA PRIV" + "ATE KEY-----\nMIIE" + mix(60) + "\n" + mix(40) + "==\n-----END RSA PRIV" + "ATE KEY-----", "\n"},
		{"anthropic", "key ", "sk-" + "ant-api03-" + mix(90), " done"},
		{"openai", "", "sk-" + "proj-" + mix(48), "."},
		{"github", "remote: ", "gh" + "p_" + mix(36), "\n"},
		{"github-fine-grained", "", "github" + "_pat_" + mix(22) + "_" + mix(59), ""},
		{"gitlab", "token ", "gl" + "pat-" + mix(20), ""},
		{"aws-key-id", "", "AK" + "IA" + upper(16), ""},
		{"aws-secret", "aws_secret_access_key = ", mix(40), "\n"},
		{"google-api", "?key=", "AI" + "za" + mix(35), "&x=1"},
		{"google-oauth", "", "GOC" + "SPX-" + mix(28), ""},
		{"slack", "", "xo" + "xb-" + "123456789012-" + mix(24), ""},
		{"slack-webhook", "https://hooks.slack." + "com/services/", "T" + upper(8) + "/B" + upper(8) + "/" + mix(24), ""},
		{"stripe", "", "sk" + "_live_" + mix(24), ""},
		{"twilio", "", "S" + "K" + hex(32), ""},
		{"sendgrid", "", "S" + "G." + mix(22) + "." + mix(43), ""},
		{"npm", "//registry/:_auth ", "np" + "m_" + mix(36), ""},
		{"pypi", "", "py" + "pi-AgEIcHlwaS5vcmc" + mix(60), ""},
		{"huggingface", "", "h" + "f_" + mix(34), ""},
		{"azure", "DefaultEndpointsProtocol=https;AccountName=x;Account" + "Key=", mix(86) + "==", ";EndpointSuffix=y"},
		{"digitalocean", "", "do" + "p_v1_" + hex(64), ""},
		{"telegram", "bot ", "123456789:" + "AA" + mix(33), ""},
		{"jwt", "", "ey" + "J" + mix(20) + ".ey" + "J" + mix(30) + "." + mix(43), ""},
		{"shopify", "", "shp" + "at_" + hex(32), ""},
		{"vault", "", "hv" + "s." + mix(28), ""},
		{"age", "", "AGE-SECRET-" + "KEY-1" + upper(58), ""},
		{"groq", "", "gs" + "k_" + mix(52), ""},
		{"xai", "", "xa" + "i-" + mix(80), ""},
		{"linear", "", "lin" + "_api_" + mix(40), ""},
		{"databricks", "", "da" + "pi" + hex(32), ""},
		{"atlassian", "", "ATA" + "TT3" + mix(60), ""},
		{"url-password", "postgres://app:", "s3cr" + "et-" + mix(8), "@db.local:5432/x"},
		{"authorization", "Authorization: Basic ", mix(32), "\r\n"},
		{"bearer", "curl -H 'bearer ", mix(40), "'"},
		{"assignment", "export STORE_PASS" + "WORD=", "correct-" + mix(12), " next"},
		{"quoted", `db_pass` + `word: "`, "horse" + mix(12), `"`},
	}
}
