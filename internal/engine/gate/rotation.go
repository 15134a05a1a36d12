package gate

import (
	"encoding/json"
	"os"

	"kedge"
	"kedge/internal/core/plan"
	"kedge/internal/process/atomicfile"
)

// InTurn gives the next few of some features, by what a file has of those before, and keeps
// that there. The same command gets the same features again.
func InTurn(file, command string, features []kedge.Feature, few int) ([]kedge.Feature, error) {
	if len(features) <= few {
		return features, nil
	}
	var at plan.Rotation
	if text, err := os.ReadFile(file); err == nil && json.Unmarshal(text, &at) != nil {
		at = plan.Rotation{} // damaged: it begins again
	}
	turn := at.Turn(command, features, few)
	text, err := json.Marshal(at)
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot save which completed features Kedge checks next: %w", err)
	}
	return turn, atomicfile.Write(file, append(text, '\n'), 0o600)
}
