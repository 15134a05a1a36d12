package process

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"kedge"
	"kedge/internal/process/atomicfile"
)

// TokenVariable is the environment variable of a session that holds its token.
const TokenVariable = "KEDGE_TOKEN"

// tokenPrefix makes a token known for what it is wherever it turns up.
const tokenPrefix = "kedge-token-"

// keptToken is the file in a session's folder.
type keptToken struct {
	Version int    `json:"version"`
	SHA256  string `json:"sha256"`
}

// TokenFile is the name of it there.
const TokenFile = "token.json"

func tokenPath(dir string) string { return filepath.Join(dir, TokenFile) }

// IssueToken makes the token of the session whose folder is dir. An older one of the
// same session is void from then on.
func IssueToken(dir string) (string, error) {
	token := tokenPrefix + rand.Text() + rand.Text()
	b, err := json.Marshal(keptToken{Version: 1, SHA256: tokenHash(token)})
	if err == nil {
		err = atomicfile.Swap(tokenPath(dir), b, 0o600) // it counts as long as the session does
	}
	if err != nil {
		return "", kedge.Errorf(kedge.Internal, "cannot save the session's access token: %w", err)
	}
	return token, nil
}

// TokenOpens tells whether the token is that of the session whose folder is dir. A
// session without a token is opened by none.
func TokenOpens(dir, token string) bool { return TokenProves(dir, TokenProof(token)) }

// TokenProof is what who has a token may leave on disk in its place; empty without one.
func TokenProof(token string) string {
	if !strings.HasPrefix(token, tokenPrefix) {
		return ""
	}
	return tokenHash(token)
}

// TokenProves tells whether the proof is that of the token of the session whose folder
// is dir.
func TokenProves(dir, proof string) bool {
	b, err := os.ReadFile(tokenPath(dir))
	var k keptToken
	if err != nil || json.Unmarshal(b, &k) != nil || k.Version != 1 || proof == "" {
		return false
	}
	return subtle.ConstantTimeCompare([]byte(k.SHA256), []byte(proof)) == 1
}

func tokenHash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// WithToken is the environment of a session with its token, and without any other.
func WithToken(env []string, token string) []string {
	return append(WithoutToken(env), TokenVariable+"="+token)
}

// WithoutToken is an environment without a token: for what runs in nobody's name.
func WithoutToken(env []string) []string {
	out := make([]string, 0, len(env)+1)
	for _, kv := range env {
		if !strings.HasPrefix(kv, TokenVariable+"=") {
			out = append(out, kv)
		}
	}
	return out
}
