// Package capability makes the token by which whatever acts for a session shows
// that it belongs there. It owns the token's form and the file of its hash. It
// promises that a token is random, is told once, to whoever starts the session,
// and is nowhere on disk: the session's folder keeps its hash, for this start of
// the session and no other. It never says whether the session still lives.
package capability

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

// Variable is the environment variable of a session that holds its token.
const Variable = "KEDGE_TOKEN"

// prefix makes a token known for what it is wherever it turns up.
const prefix = "kedge-token-"

// kept is the file in a session's folder.
type kept struct {
	Version int    `json:"version"`
	SHA256  string `json:"sha256"`
}

// File is the name of it there.
const File = "token.json"

func file(dir string) string { return filepath.Join(dir, File) }

// Issue makes the token of the session whose folder is dir. An older one of the
// same session is void from then on.
func Issue(dir string) (string, error) {
	token := prefix + rand.Text() + rand.Text()
	b, err := json.Marshal(kept{Version: 1, SHA256: hash(token)})
	if err == nil {
		err = atomicfile.Swap(file(dir), b, 0o600) // it counts as long as the session does
	}
	if err != nil {
		return "", kedge.Errorf(kedge.Internal, "keep the session's token: %w", err)
	}
	return token, nil
}

// Opens tells whether the token is that of the session whose folder is dir. A
// session without a token is opened by none.
func Opens(dir, token string) bool { return Proves(dir, Proof(token)) }

// Proof is what who has a token may leave on disk in its place; empty without one.
func Proof(token string) string {
	if !strings.HasPrefix(token, prefix) {
		return ""
	}
	return hash(token)
}

// Proves tells whether the proof is that of the token of the session whose folder
// is dir.
func Proves(dir, proof string) bool {
	b, err := os.ReadFile(file(dir))
	var k kept
	if err != nil || json.Unmarshal(b, &k) != nil || k.Version != 1 || proof == "" {
		return false
	}
	return subtle.ConstantTimeCompare([]byte(k.SHA256), []byte(proof)) == 1
}

func hash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// Env is the environment of a session with its token, and without any other.
func Env(env []string, token string) []string { return append(Without(env), Variable+"="+token) }

// Without is an environment without a token: for what runs in nobody's name.
func Without(env []string) []string {
	out := make([]string, 0, len(env)+1)
	for _, kv := range env {
		if !strings.HasPrefix(kv, Variable+"=") {
			out = append(out, kv)
		}
	}
	return out
}
