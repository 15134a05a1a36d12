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
				if look(s)&(1<<i) == 0 {
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

// TestCluesAreLongEnough: every hint and stem can be looked up, and every family has a bit.
func TestCluesAreLongEnough(t *testing.T) {
	if len(families) > 64 {
		t.Fatalf("%d families, and 64 bits", len(families))
	}
	for _, f := range families {
		if len(f.hints)+len(f.stems) == 0 {
			t.Errorf("%s has neither hints nor stems", f.name)
		}
		for _, clue := range append(f.hints, f.stems...) {
			if len(clue) < start {
				t.Errorf("%s: %q is too short", f.name, clue)
			}
		}
	}
}

// FuzzLook: a text in which a family finds a secret is never passed over.
func FuzzLook(f *testing.F) {
	value := strings.Repeat("a1B2", 10)
	for _, s := range redacttest.Canaries() {
		f.Add(s, value)
	}
	for _, head := range []string{"https://u:", `"api_Key": \"`, "PASSWD='", "Authorization=bearer ", "to\u212aen := '", "SK", "aws_secret_access_key="} {
		f.Add(head, value)
		f.Add("x "+head, value+"@h/p\"'")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, s := range []string{a, a + b, strings.ToUpper(a) + b, strings.ToLower(a) + b} {
			may := look(s)
			for i := range families {
				if fam := &families[i]; may&(1<<i) == 0 && fam.replace(s) != s {
					t.Errorf("%s: %q is passed over", fam.name, s)
				}
			}
		}
	})
}
