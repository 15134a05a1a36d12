package redact

import (
	"strings"
	"testing"

	"kedge/internal/testkit/redacttest"
)

// TestHintsLoseNothing: what the quick look passes over has no secret that the
// pattern would find, whatever the case of its letters.
func TestHintsLoseNothing(t *testing.T) {
	turned := func(s string, odd int) string {
		b := []byte(s)
		for i := range b {
			if i%2 == odd {
				b[i] = strings.ToUpper(string(b[i]))[0]
			} else {
				b[i] = strings.ToLower(string(b[i]))[0]
			}
		}
		return string(b)
	}
	value := strings.Repeat("a1B2", 6)
	var texts []string
	for _, name := range []string{"secret", "client_secret", "secretkey", "token", "password", "passwd", "api_key", "apikey", "access_key", "accesskey", "private_key", "PRIVATEKEY", "credentials", "\u017fecret", "to\u212aen"} {
		for _, eq := range []string{"=", ": ", " := ", "\": \"", "=> '", "='"} {
			for _, quote := range []string{"", "\"", "'"} {
				texts = append(texts, name+eq+quote+value+quote, strings.ToUpper(name)+eq+quote+value+quote)
			}
		}
	}
	for _, text := range redacttest.Canaries() {
		texts = append(texts, text)
	}
	found := 0
	for _, text := range texts {
		for _, s := range []string{text, turned(text, 0), turned(text, 1)} {
			for i := range families {
				f := &families[i]
				if f.replace(s) == s {
					continue
				}
				found++
				if !f.mayMatch(s) {
					t.Errorf("%s: %q is passed over", f.name, s)
				}
			}
		}
	}
	if found < 200 {
		t.Errorf("only %d secrets: this shows nothing", found)
	}
}

// TestStemsLoseNoKey: the quick look at a key passes over none that the pattern
// would find.
func TestStemsLoseNoKey(t *testing.T) {
	found := 0
	for _, name := range []string{
		"secret", "secret_key", "secretkey", "client_secret", "token", "access_token", "refreshToken", "auth_token", "password", "passwd",
		"api_key", "apikey", "access_key", "secret_access_key", "private_key", "privatekey", "\u017fecret", "to\u212aen",
	} {
		for _, key := range []string{name, strings.ToUpper(name), "my." + name, "A-" + strings.ToUpper(name), name + "s"} {
			if !secretName.MatchString(key) {
				continue
			}
			found++
			if !namesSecret(key) {
				t.Errorf("%q is passed over", key)
			}
		}
	}
	if found < 60 {
		t.Errorf("only %d keys: this shows nothing", found)
	}
}
