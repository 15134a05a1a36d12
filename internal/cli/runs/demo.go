package runs

import (
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/demo"
	"kedge/internal/cli/frame"
)

// Demo is kedge demo.
func Demo(env *frame.Env) *cobra.Command {
	var (
		dir      string
		features int
	)
	c := &cobra.Command{
		Use:   "demo",
		Short: "Show a whole run in a minute: no model, no key, no network",
		Long: `Show a whole run in about a minute: no model, no key, no network.

Kedge creates a small Go project in a temporary folder. A scripted agent works
on thirty features until all are verified. On the way, the agent claims work
that it did not do, weakens a test and hangs. The demo also kills the daemon
and an agent with kill -9. Then, for comparison, the same script works in one
long session, whose context overflows.

The demo has its own KEDGE_HOME. At the end, Kedge deletes this folder and the
project. On a busy machine the demo takes longer.`,
		Example: `  kedge demo
  kedge demo --dir /tmp/shop    keep everything there`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := frame.Positive(c, "features", features, 30); err != nil {
				return err
			}
			at, gone, err := demoFolder(dir)
			if err != nil {
				return err
			}
			defer gone()
			exe, err := os.Executable()
			if err != nil {
				return kedge.Errorf(kedge.Internal, "Kedge cannot find out where its own program file is: %w", err)
			}
			out, err := demo.Run(c.Context(), demo.Config{Program: exe, Dir: at, Environ: env.Environ, Features: features, Say: env.Talk})
			if err != nil {
				return err
			}
			if err := env.Show(out, func(w io.Writer) { out.Text(w) }); err != nil {
				return err
			}
			env.Talk("the demo took %.0f seconds; in your own repository, start with: kedge init", out.Seconds)
			if env.Look != nil && !env.Look("kedge") {
				env.Talk("this program is not on your PATH; to add it in this terminal: export PATH=\"%s:$PATH\"; to install it, run in the folder with its source: make install", filepath.Dir(exe))
			}
			return nil
		},
	}
	c.Flags().StringVar(&dir, "dir", "", "use this empty `folder` and keep it (default: a temporary one, deleted at the end)")
	c.Flags().IntVar(&features, "features", 0, "`number` of features (default 30)")
	return c
}

// demoFolder is the folder of a demo, and what takes it away again.
func demoFolder(dir string) (string, func(), error) {
	if dir == "" {
		at, err := os.MkdirTemp("", "kedge-demo-")
		if err != nil {
			return "", nil, kedge.Errorf(kedge.Internal, "the demo cannot make a temporary folder: %w", err)
		}
		return at, func() { _ = os.RemoveAll(at) }, nil // what cannot be removed lies in the temporary folder
	}
	at, err := filepath.Abs(dir)
	if err == nil {
		err = os.MkdirAll(at, 0o700)
	}
	if err != nil {
		return "", nil, kedge.Errorf(kedge.Invalid, "cannot make the folder %q: %w", dir, err)
	}
	if entries, err := os.ReadDir(at); err != nil || len(entries) > 0 {
		return "", nil, kedge.Errorf(kedge.Conflict, "the folder %q is not empty", dir).WithHint("name an empty or a new folder: kedge demo --dir FOLDER")
	}
	return at, func() {}, nil
}
