package kedge_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"kedge"
)

func TestKindAndHintAreFoundInTheWholeTree(t *testing.T) {
	hinted := kedge.Errorf(kedge.Blocked, "no").WithHint("do this")
	for _, c := range []struct {
		err  error
		kind kedge.Kind
		hint string
	}{
		{nil, kedge.Internal, ""},
		{errors.New("x"), kedge.Internal, ""},
		{context.Canceled, kedge.Interrupted, ""},
		{hinted, kedge.Blocked, "do this"},
		{fmt.Errorf("in a layer: %w", hinted), kedge.Blocked, "do this"},
		{kedge.Errorf(kedge.Invalid, "around: %w", hinted), kedge.Invalid, "do this"},
		{kedge.Errorf(kedge.Invalid, "around: %w", hinted).WithHint("rather this"), kedge.Invalid, "rather this"},
		{errors.Join(hinted, nil), kedge.Blocked, "do this"},
		{errors.Join(errors.New("x"), hinted), kedge.Blocked, "do this"},
		{fmt.Errorf("%w and %w", context.Canceled, hinted), kedge.Blocked, "do this"},
	} {
		if kind, hint := kedge.KindOf(c.err), kedge.HintOf(c.err); kind != c.kind || hint != c.hint {
			t.Errorf("%v: %s, %q; want %s, %q", c.err, kind, hint, c.kind, c.hint)
		}
	}
}
