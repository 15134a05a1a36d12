package gitx_test

import (
	"os"
	"path/filepath"
	"testing"

	"kedge"
	"kedge/internal/gitx/gitxtest"
)

func TestProjectID(t *testing.T) {
	r := gitxtest.New(t)
	g, ctx := r.Open(), t.Context()
	if id, err := g.ProjectID(); id != "" || err != nil {
		t.Errorf("a fresh repository is %q, %v", id, err)
	}
	id := kedge.ProjectID(kedge.NewID("prj", gitxtest.Day))
	r.Must(g.SetProjectID(ctx, id))
	r.Must(g.SetProjectID(ctx, id))
	if got, err := g.ProjectID(); got != id || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	gitxtest.WantKind(t, g.SetProjectID(ctx, kedge.ProjectID(kedge.NewID("prj", gitxtest.Day))), kedge.Conflict, string(id))
	gitxtest.WantKind(t, g.SetProjectID(ctx, "prj-x"), kedge.Invalid, "prj-x")
	r.Must(os.WriteFile(filepath.Join(g.CommonDir(), "kedge-id"), []byte("../x\n"), 0o644))
	_, err := g.ProjectID()
	gitxtest.WantKind(t, err, kedge.Invalid, "kedge-id:1")
}
