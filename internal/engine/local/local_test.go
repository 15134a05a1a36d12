package local_test

import (
	"testing"

	"kedge/internal/engine/enginetest"
)

func TestConformance(t *testing.T) { enginetest.Run(t, onStore) }
