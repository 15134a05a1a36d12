package supply

import (
	"kedge/internal/app/ledger"
	"kedge/internal/core/config"
)

// untilPhase is the phase of the approved plan that a run is to end with; zero where
// nobody named one.
func untilPhase(l ledger.Snapshot, name string) (config.Until, error) {
	if name == "" {
		return config.Until{}, nil
	}
	ph, err := ledger.FindPlanPhase(l, name)
	if err != nil {
		return config.Until{}, err
	}
	u := config.Until{Phase: ph.ID, Title: ph.Title}
	later := false
	for _, o := range ledger.Phases(l) {
		if later {
			u.Later = append(u.Later, o.ID)
		}
		later = later || o.ID == ph.ID
	}
	return u, nil
}
