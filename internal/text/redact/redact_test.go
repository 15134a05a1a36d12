package redact_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"kedge/internal/testkit/redacttest"
	"kedge/internal/text/redact"
)

func TestT15EveryFamilyIsRedacted(t *testing.T) {
	secrets := redacttest.Secrets()
	if len(secrets) < 20 {
		t.Fatalf("%d families, want at least 20", len(secrets))
	}
	for family, text := range redacttest.Canaries() {
		for _, around := range []string{"", "plain words ", "x=1\n", "(", "\"", "日本 "} {
			in := around + text
			got := redact.Text(in)
			if strings.Contains(got, secrets[family]) {
				t.Errorf("%s: the secret is still in %q", family, around)
			}
			if !strings.Contains(got, "[redacted:"+family+"]") {
				t.Errorf("%s after %q: got %q", family, around, got)
			}
			if again := redact.Text(got); again != got {
				t.Errorf("%s: a second pass changes %q to %q", family, got, again)
			}
		}
	}
}

func TestT15AllSecretsInOneText(t *testing.T) {
	var all []string
	c := redacttest.Canaries()
	for _, family := range slices.Sorted(maps.Keys(c)) {
		all = append(all, c[family])
	}
	got := redact.Text(strings.Join(all, "\n"))
	for family, secret := range redacttest.Secrets() {
		if strings.Contains(got, secret) {
			t.Errorf("%s: the secret is still there", family)
		}
	}
}

func TestT15SecretsInsideJSON(t *testing.T) {
	for family, text := range redacttest.Canaries() {
		secret := redacttest.Secrets()[family]
		inner, _ := json.Marshal(map[string]string{"out": text})
		for name, v := range map[string]any{
			"value":  map[string]any{"a": []any{1, text, nil}},
			"key":    map[string]any{text: true},
			"nested": map[string]any{"log": string(inner)},
		} {
			in, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			got := redact.JSON(in)
			if !json.Valid(got) {
				t.Errorf("%s as %s: not JSON any more: %s", family, name, got)
			}
			var flat any
			_ = json.Unmarshal(got, &flat)
			again, _ := json.Marshal(flat)
			if strings.Contains(string(again), secret) || strings.Contains(string(got), secret) {
				t.Errorf("%s as %s: still there: %s", family, name, got)
			}
			if !strings.Contains(string(got), "[redacted:") {
				t.Errorf("%s as %s: nothing redacted", family, name)
			}
		}
	}
}

func TestT15EscapingHidesNothing(t *testing.T) {
	secret := "gh" + "p_" + strings.Repeat("aB3d", 9)
	var escaped strings.Builder
	for _, c := range secret {
		escaped.WriteString("\\u00" + strings.ToLower(string("0123456789ABCDEF"[c>>4])+string("0123456789ABCDEF"[c&15])))
	}
	got := redact.JSON([]byte(`{"n":"` + escaped.String() + `"}`))
	if string(got) != `{"n":"[redacted:github]"}` {
		t.Errorf("got %s", got)
	}
}

func TestFieldsNamedLikeSecrets(t *testing.T) {
	for in, want := range map[string]string{
		`{"password" : "hunter2"}`:                   `{"password" : "[redacted:field]"}`,
		`{"db":{"api_key":"abcdefgh"},"n":1}`:        `{"db":{"api_key":"[redacted:field]"},"n":1}`,
		`{"tokens":"200000"}`:                        `{"tokens":"200000"}`,
		`{"token":["abcdefgh"]}`:                     `{"token":["abcdefgh"]}`,
		`{"token":null,"a":"b2345678"}`:              `{"token":null,"a":"b2345678"}`,
		`{"password":"$PASSWORD"}`:                   `{"password":"$PASSWORD"}`,
		`{"id":"not-01arz3ndektsv4rrffq69g5fav"}`:    `{"id":"not-01arz3ndektsv4rrffq69g5fav"}`,
		`["access_token","abcdefgh"]`:                `["access_token","abcdefgh"]`,
		`{"client_secret":"x","refresh-token":"yy"}`: `{"client_secret":"x","refresh-token":"yy"}`,
	} {
		if got := string(redact.JSON([]byte(in))); got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
}

func TestOrdinaryTextIsUntouched(t *testing.T) {
	for _, s := range []string{
		"",
		"commit 4f1c2ab9d0e8f7a6b5c4d3e2f1a0b9c8d7e6f5a4 (HEAD -> main)",
		"sha256:1f3a9c0b2d4e6f8a1f3a9c0b2d4e6f8a1f3a9c0b2d4e6f8a1f3a9c0b2d4e6f8a",
		"evt-01arz3ndektsv4rrffq69g5fav ses-01ARZ3NDEKTSV4RRFFQ69G5FAV",
		"550e8400-e29b-41d4-a716-446655440000",
		"the token is refreshed; token := lexer.Next(); token = \"semicolon\"",
		"password: the user types it",
		"MAX_TOKENS=200000 go test ./... -run TestToken=x",
		"TOKEN=$TOKEN PASSWORD=${PASSWORD} API_KEY=<your key> SECRET=******** USE_TOKEN=true",
		"https://example.com/a:b@c?d=e http://127.0.0.1:8080/x ssh://git@github.com:22/x",
		"https://user:${TOKEN}@host/x",
		"Authorization: Bearer $TOKEN",
		"bearer of bad news and a-very-long-hyphenated-word-without-digits",
		"task-4f1c2ab9d0e8f7a6b5c4d3e2f1a0b9c8d7e6f5a4",
		"-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
		"h1:9CnqIDF5LaVWmPdUKlZG6LFQjTTBxM/KQ2LxWxKFSXk= go.sum line",
		"postgres://localhost:5432/x AccountKey is asked for",
		"/home/u/.ssh/id_rsa and ~/.aws/credentials",
	} {
		if got := redact.Text(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
}

func TestUnchangedJSONKeepsItsBytes(t *testing.T) {
	in := " {\"b\" : [1.0, \"\\u00e9 \\/ x\"],\n\"a\":{}} "
	if got := string(redact.JSON([]byte(in))); got != in {
		t.Errorf("got %q", got)
	}
	secret := "np" + "m_" + strings.Repeat("aB3d", 9)
	got := string(redact.JSON([]byte(`{"b" : [1.0, "` + secret + `"], "a":"\u00e9"}`)))
	if want := `{"b" : [1.0, "[redacted:npm]"], "a":"\u00e9"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestNotJSONIsText(t *testing.T) {
	secret := "np" + "m_" + strings.Repeat("aB3d", 9)
	if got := string(redact.JSON([]byte("{" + secret))); got != "{[redacted:npm]" {
		t.Errorf("got %q", got)
	}
}

func FuzzText(f *testing.F) {
	for _, text := range redacttest.Canaries() {
		f.Add(text, "://x:")
	}
	f.Add("https://a:b@", "TOKEN=[redacted:x]abcdefg")
	f.Fuzz(func(t *testing.T, a, b string) {
		in := a + b
		got := redact.Text(in)
		if again := redact.Text(got); again != got {
			t.Errorf("not idempotent: %q, %q", got, again)
		}
	})
}

func FuzzJSON(f *testing.F) {
	for _, text := range redacttest.Canaries() {
		b, _ := json.Marshal(map[string]any{text: text, "password": text})
		f.Add(b)
	}
	f.Add([]byte(`{"password":"\u0061\"\\aaaaaa" , "x":[{"token":"abcdefg1"}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		got := redact.JSON(b)
		if json.Valid(b) && !json.Valid(got) {
			t.Errorf("%q became %q", b, got)
		}
		if again := redact.JSON(got); string(again) != string(got) {
			t.Errorf("not idempotent: %q, %q", got, again)
		}
	})
}
