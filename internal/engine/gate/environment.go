package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"runtime"

	"kedge/internal/core/config"
	"kedge/internal/process"
)

// Environment names what a verdict depends on beside the tree, without any
// value: the system, where programs are looked for, the setup, the rules.
func Environment(env []string, cfg config.Config, g config.Gate, inputs string) string {
	decides := []any{g.Checks, g.Services, cfg.Protect.Paths}
	if cfg.Sandbox.Asked() {
		decides = append(decides, cfg.Sandbox)
	}
	rules, _ := json.Marshal(decides) // plain values: never fails
	return fmt.Sprintf("%s/%s path:%s setup:%s rules:%s", runtime.GOOS, runtime.GOARCH, digest(process.Getenv(env, "PATH")), inputs, digest(string(rules)))
}

// digest names a text in eight digits.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text + "\x00")) // as verdicts of earlier versions have it
	return hex.EncodeToString(sum[:4])
}
