package process

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kedge"
	"kedge/internal/process/atomicfile"
)

// OperatorVariable is the environment variable in which you give a client its token.
const OperatorVariable = "KEDGE_OPERATOR"

const operatorPrefix = "kedge-operator-"

// Operator is a client that may pause, continue and stop runs and tell them something.
// Its token is not kept, only its hash.
type Operator struct {
	Name   string      `json:"name"`
	MadeAt time.Time   `json:"made_at"`
	By     kedge.Actor `json:"by"`
	SHA256 string      `json:"sha256"`
	Key    string      `json:"key,omitempty"` // of the request that made it
}

// keptOperators is the file of all of them.
type keptOperators struct {
	Version   int        `json:"version"`
	Operators []Operator `json:"operators"`
}

// OperatorsFile is its name in KEDGE_HOME.
const OperatorsFile = "operators.json"

// ReadOperators gives the operators of a KEDGE_HOME, the oldest first.
func ReadOperators(home string) ([]Operator, error) {
	b, err := os.ReadFile(filepath.Join(home, OperatorsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return []Operator{}, nil
	}
	var kept keptOperators
	if err == nil {
		err = json.Unmarshal(b, &kept)
	}
	if err == nil && kept.Version != 1 {
		err = kedge.Errorf(kedge.Internal, "the file has version %d, and this version of Kedge reads version 1", kept.Version)
	}
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot read the operators in %q: %w", filepath.Join(home, OperatorsFile), err).WithHint("remove the file, then make new operator tokens: rm '%s' && kedge operator add NAME", filepath.Join(home, OperatorsFile))
	}
	return kept.Operators, nil
}

// WriteOperators replaces the operators of a KEDGE_HOME.
func WriteOperators(home string, list []Operator) error {
	b, err := json.MarshalIndent(keptOperators{Version: 1, Operators: list}, "", "  ")
	if err == nil {
		err = atomicfile.Write(filepath.Join(home, OperatorsFile), append(b, '\n'), 0o600)
	}
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot save the operators: %w", err)
	}
	return nil
}

// NewOperatorToken makes a token, and gives it with its hash.
func NewOperatorToken() (token, hash string) {
	token = operatorPrefix + rand.Text() + rand.Text()
	return token, tokenHash(token)
}

// OperatorOf gives the name of the operator whose token this is; false when it is
// nobody's.
func OperatorOf(list []Operator, token string) (string, bool) {
	if !strings.HasPrefix(token, operatorPrefix) {
		return "", false
	}
	hash := []byte(tokenHash(token))
	i := slices.IndexFunc(list, func(o Operator) bool { return subtle.ConstantTimeCompare([]byte(o.SHA256), hash) == 1 })
	if i < 0 {
		return "", false
	}
	return list[i].Name, true
}

// WithoutOperator is an environment without the token of an operator: no program that a
// run starts is given one.
func WithoutOperator(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return strings.HasPrefix(kv, OperatorVariable+"=") })
}
