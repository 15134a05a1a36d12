package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kedge"
	"kedge/internal/app/features"
	"kedge/internal/cli/frame"
	"kedge/internal/core/check"
	"kedge/internal/core/plan"
	"kedge/internal/text/plain"
	"kedge/internal/text/strict"
)

// Feature is kedge feature.
func Feature(env *frame.Env) *cobra.Command {
	c := frame.Group("feature", "Add, change, verify or skip one feature",
		newFeatureAdd(env), newFeatureAmend(env), newFeatureShow(env), newFeatureSubmit(env), newFeatureAccept(env),
		newFeatureMove(env, "block", "Mark a feature as blocked", "order-entity --reason \"waits for the new schema\""),
		newFeatureMove(env, "reopen", "Set a feature back to pending, so that Kedge tries it again", "order-entity --reason \"the schema is there\""),
		newFeatureMove(env, "skip", "Skip a feature, and list the features that depend on it", "dark-mode --reason \"nobody asked for it\""),
	)
	c.Long = `Add, change, verify or skip one feature.

Only Kedge sets a feature to completed: kedge feature submit asks Kedge to
verify it. If the work waits for your review, kedge feature accept completes
the feature. Agents may not use that command. When you skip a feature, Kedge
names the features that depend on it. Those features wait until you skip them
too, or amend them so that they no longer depend on the skipped feature.

A run that is working applies your changes by itself. If the run has stopped,
continue it with kedge run.`
	c.Example = `  kedge feature add order-entity --name "Order entity" --check "go test ./order"
  kedge feature submit order-entity
  kedge feature show order-entity`
	return c
}

// definitionFlags are the flags that say what a feature is.
type definitionFlags struct {
	name, description, phase, category, prove, file string
	priority                                        int
	dependencies, acceptance, steps, paths          []string
	changesTests, checks, requests, endToEnd        []string
}

func (d *definitionFlags) add(fs *pflag.FlagSet) {
	fs.StringVar(&d.name, "name", "", "the `name`: one line of at most 200 characters")
	fs.StringVar(&d.description, "description", "", "the full `text`")
	fs.StringVar(&d.phase, "phase", "", "the `phase` that the feature belongs to")
	fs.StringVar(&d.category, "category", "functional", "the `kind`: functional, style, …")
	fs.IntVar(&d.priority, "priority", plan.DefaultPriority, "a `number`; lower comes first")
	fs.StringArrayVar(&d.dependencies, "depends-on", nil, "the `id` of a feature that must be completed before (repeatable)")
	fs.StringArrayVar(&d.acceptance, "acceptance", nil, "`what` must be true in the end (repeatable)")
	fs.StringArrayVar(&d.steps, "step", nil, "a `step` to verify the feature (repeatable)")
	fs.StringArrayVar(&d.paths, "path", nil, "a `glob` of files that the work may change; if it changes others, the feature waits for you (repeatable; default: any)")
	fs.StringArrayVar(&d.changesTests, "changes-tests", nil, "a `glob` of existing tests that the work may change, weaken or delete without your review (repeatable; default: none)")
	fs.StringArrayVar(&d.checks, "check", nil, "a shell `command` that must succeed when the feature is done (repeatable)")
	fs.StringArrayVar(&d.requests, "http", nil, "a `request` to the project's service and the status it must answer, such as \"GET /users 200\" (repeatable)")
	fs.StringArrayVar(&d.endToEnd, "e2e", nil, "a `command` that must succeed with the project's services up; Kedge keeps its screenshots and traces (repeatable)")
	fs.StringVar(&d.prove, "prove", "", "`how` the checks prove the work: fails (red before the work, green after it) or holds (green before and after)")
	fs.StringVar(&d.file, "definition", "", "read the whole definition, as in features.json, from this `file` (- for stdin)")
}

// apply changes def by the flags that were given.
func (d *definitionFlags) apply(env *frame.Env, fs *pflag.FlagSet, def *kedge.Definition) error {
	if d.file != "" {
		b, err := frame.ReadInput(env, d.file, maxImport)
		if err != nil {
			return err
		}
		read := kedge.Definition{ID: def.ID}
		if err := strict.Decode(d.file, b, &read); err != nil {
			return err
		}
		if read.ID != def.ID {
			return kedge.Errorf(kedge.Invalid, "%s defines feature %q, not %q", d.file, read.ID, def.ID).WithHint("correct the id in the file, or repeat your command with the id %s", read.ID)
		}
		*def = read
	}
	checks, err := d.given()
	if err != nil {
		return err
	}
	for flag, set := range map[string]func(){
		"name":        func() { def.Name = d.name },
		"description": func() { def.Description = d.description },
		"phase":       func() { def.Phase = d.phase },
		"category":    func() { def.Category = d.category },
		"priority":    func() { def.Priority = d.priority },
		"depends-on":  func() { def.Dependencies = ids(d.dependencies) },
		"acceptance":  func() { def.Acceptance = d.acceptance },
		"step":        func() { def.Steps = d.steps },
		"path":        func() { def.Paths = d.paths },

		"changes-tests": func() { def.ChangesTests = d.changesTests },

		"check": func() { def.Checks = checks },
		"http":  func() { def.Checks = checks },
		"e2e":   func() { def.Checks = checks },
	} {
		if fs.Changed(flag) {
			set()
		}
	}
	if fs.Changed("prove") {
		if len(def.Checks) == 0 {
			return kedge.Errorf(kedge.Invalid, "--prove %s needs a check", d.prove).
				WithHint("add a check to your command: --check \"go test ./...\"")
		}
		for i := range def.Checks {
			def.Checks[i].Prove = d.prove
		}
	}
	return nil
}

// given are the checks of --check, --http and --e2e, in this order. Together they replace
// the list.
func (d *definitionFlags) given() ([]kedge.Check, error) {
	var out []kedge.Check
	for _, flag := range []struct {
		name  string
		texts []string
		read  func(string) kedge.Check
	}{{"--check", d.checks, check.Line}, {"--http", d.requests, check.Ask}, {"--e2e", d.endToEnd, check.EndToEnd}} {
		for _, text := range flag.texts {
			if strings.TrimSpace(text) == "" {
				return nil, kedge.Errorf(kedge.Invalid, "the value of %s is empty", flag.name).
					WithHint("omit %s if you will accept the feature yourself; to remove a feature's checks: kedge feature amend ID --definition FILE --reason WHY", flag.name)
			}
			out = append(out, flag.read(text))
		}
	}
	return check.Numbered(out), nil
}

func ids(names []string) []kedge.FeatureID {
	out := []kedge.FeatureID{}
	for _, n := range names {
		if n != "" {
			out = append(out, kedge.FeatureID(n))
		}
	}
	return out
}

func newFeatureAdd(env *frame.Env) *cobra.Command {
	var flags definitionFlags
	c := &cobra.Command{
		Use:   "add ID",
		Short: "Add a feature; its definition is locked from then on",
		Long: `Add a feature. Its definition is locked from then on: only you can change it,
with kedge feature amend.

Give the feature a check of its own: a command that fails before the work and
succeeds after it. Without a check, the feature waits for your review at the
end.

--http sends a request to the project's service, and --e2e runs a command while
the service is up. The service is the first [[service]] in .kedge/gate.toml;
Kedge starts it with a port of its own. Kedge keeps the screenshots, videos and
traces of a browser test with the verdict.`,
		Example: `  kedge feature add order-entity --name "Order entity" --check "go test ./order"
  kedge feature add users-api --http "GET /users 200"
  kedge feature add users-page --e2e "npx playwright test users.spec.ts"
  kedge feature add order-list --name "List orders" --depends-on order-entity`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			def := kedge.Definition{
				ID: kedge.FeatureID(args[0]), Name: args[0], Category: flags.category, Priority: flags.priority,
			}
			if err := flags.apply(env, c.Flags(), &def); err != nil {
				return err
			}
			if err := ChangeFeature(c, env, "feature.add", features.FeatureAddRequest{Definition: def}); err != nil {
				return err
			}
			if env.ErrTTY && slices.ContainsFunc(def.Checks, func(c kedge.Check) bool { return c.Prove != check.ProveHolds }) {
				env.Talk("next: kedge feature submit %s   # run it before the work, so that Kedge sees the check fail", def.ID)
			}
			return nil
		},
	}
	flags.add(c.Flags())
	flags.complete(env, c)
	return c
}

func newFeatureAmend(env *frame.Env) *cobra.Command {
	var flags definitionFlags
	var reason string
	c := &cobra.Command{
		Use:   "amend ID --reason WHY",
		Short: "Change a locked definition, with a reason",
		Long: `Change a locked definition. You must give a reason. Agents may not do this.

Only the flags that you pass change something. A repeatable flag replaces the
whole list.`,
		Example: "  kedge feature amend order-entity --check \"go test ./order ./api\" --reason \"the API belongs to it\"",
		Args:    cobra.ExactArgs(1),

		ValidArgsFunction: frame.FeatureIDs(env),
		RunE: func(c *cobra.Command, args []string) error {
			was, err := frame.Call[features.FeatureShowReply](c.Context(), env, "feature.show", features.FeatureShowRequest{ID: kedge.FeatureID(args[0])})
			if err != nil {
				return err
			}
			in := features.FeatureAmendRequest{Definition: was.Feature.Definition, Was: was.Hash, Reason: reason}
			if err := flags.apply(env, c.Flags(), &in.Definition); err != nil {
				return err
			}
			return ChangeFeature(c, env, "feature.amend", in)
		},
	}
	flags.add(c.Flags())
	flags.complete(env, c)
	c.Flags().StringVar(&reason, "reason", "", "`why` the definition changes")
	return c
}

// complete offers values for the flags that have few.
func (definitionFlags) complete(env *frame.Env, c *cobra.Command) {
	frame.CompleteFlag(c, "depends-on", frame.AfterArgs(frame.FeatureIDs(env)))
	frame.CompleteFlag(c, "prove", frame.OneOf(check.ProveFails, check.ProveHolds))
}

// ChangeFeature makes a change and shows the feature as it is then.
func ChangeFeature(c *cobra.Command, env *frame.Env, name string, in any) error {
	return env.Changed(c.Context(), MoveFeature(c.Context(), env, name, in))
}

// MoveFeature is featureCall without what comes next.
func MoveFeature(ctx context.Context, env *frame.Env, name string, in any) error {
	reply, err := frame.Call[features.FeatureReply](ctx, env, name, in)
	if err != nil {
		return err
	}
	env.Aside(reply.Notices)
	if text := plan.StrandedText(reply.Stranded, reply.Feature.ID); text != "" {
		env.Talk("note: %s", plain.Line(text))
	}
	for _, n := range reply.NotGreen {
		env.Talk("note: %s", plain.Line(n.Text()))
	}
	if name == "feature.add" || name == "feature.amend" {
		sayUnchecked(env, reply.Feature.Definition)
	}
	return env.Show(reply, func(w io.Writer) { featureLine(w, reply.Feature) })
}

// sayUnchecked says what it means that a feature has no check, where it has none.
func sayUnchecked(env *frame.Env, f kedge.Definition) {
	if text := plan.UncheckedText(f); text != "" {
		env.Talk("note: %s", plain.Line(text))
		env.Talk("  %s", frame.StepWithWhy(plan.AddCheck(f.ID)))
	}
}

func newFeatureAccept(env *frame.Env) *cobra.Command {
	c := newFeatureMove(env, "accept", "Complete a feature that waits for your review",
		"landing-page --reason \"looked at it on three screens\"")
	c.Use = "accept ID --reason WHY"
	return c
}

func newFeatureMove(env *frame.Env, verb, short, example string) *cobra.Command {
	var reason string
	c := &cobra.Command{
		Use:     verb + " ID",
		Short:   short,
		Example: "  kedge feature " + verb + " " + example,
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return ChangeFeature(c, env, "feature."+verb, features.FeatureStatusRequest{ID: kedge.FeatureID(args[0]), Reason: reason})
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "say `why`")
	c.ValidArgsFunction = frame.FeatureIDs(env, movable[verb]...)
	return c
}

// movable are the statuses from which a verb leads on, for completion only: the
// service decides.
var movable = map[string][]kedge.Status{
	"accept": {kedge.NeedsReview},
	"block":  {kedge.Pending, kedge.InProgress, kedge.NeedsReview, kedge.Regressed},
	"reopen": {kedge.BlockedWork, kedge.Skipped, kedge.NeedsReview, kedge.Completed, kedge.Regressed, kedge.InProgress},
	"skip":   {kedge.Pending, kedge.InProgress, kedge.BlockedWork, kedge.NeedsReview, kedge.Regressed},
}

func newFeatureShow(env *frame.Env) *cobra.Command {
	return &cobra.Command{
		Use:     "show ID",
		Short:   "Show one feature, its last verdict and what is in its way",
		Example: "  kedge feature show order-entity",
		Args:    cobra.ExactArgs(1),

		ValidArgsFunction: frame.FeatureIDs(env),
		RunE: func(c *cobra.Command, args []string) error {
			waits, id := false, kedge.FeatureID(args[0])
			err := frame.Ask(c.Context(), env, "feature.show", features.FeatureShowRequest{ID: id}, func(w io.Writer, r features.FeatureShowReply) {
				featureText(w, r)
				waits = r.Feature.Status == kedge.NeedsReview
			})
			if err == nil && waits {
				env.ToDecide(c.Context(), id)
			}
			return err
		},
	}
}

func featureText(w io.Writer, r features.FeatureShowReply) {
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(w, "%-13s %s\n", key+":", plain.Line(value))
		}
	}
	f := r.Feature
	fmt.Fprintf(w, "%s  %s\n", f.ID, plain.Line(f.Name))
	line("status", string(f.Status))
	line("reason", r.Reason)
	if r.Why != fmt.Sprintf("feature %q is %s", f.ID, f.Status) { // that was said
		line("not ready", r.Why)
	}
	line("claimed", string(r.Claim))
	line("priority", strconv.Itoa(f.Priority))
	line("phase", f.Phase)
	line("description", f.Description)
	line("depends on", join(f.Dependencies))
	for _, a := range f.Acceptance {
		line("acceptance", a)
	}
	for i, s := range f.Steps {
		line("step "+strconv.Itoa(i+1), s)
	}
	line("paths", strings.Join(f.Paths, ", "))
	if len(f.Paths) == 0 {
		line("paths", "any: the work may change every file")
	}
	line("changes tests", strings.Join(f.ChangesTests, ", "))
	for _, c := range f.Checks {
		line("check", strings.TrimPrefix(c.Name+": ", "check: ")+check.Text(c))
		requestLines(line, c.HTTP)
		line("  prove", proveText(c))
		line("  keeps", strings.Join(check.Leaves(c), ", "))
	}
	if len(f.Checks) == 0 {
		line("check", "none: you must accept the work")
	}
	line("files", strings.Join(f.Files, ", "))
	for _, note := range strings.Split(f.Notes, "\n") {
		line("notes", note)
	}
	if f.Evidence != nil {
		line("evidence", string(*f.Evidence))
	}
	verdictLines(line, r.Verdict)
	for _, ses := range r.Sessions {
		line("session", fmt.Sprintf("%s (%s) %s; %s", ses.ID, ses.Agent, ses.State, FirstEdit(ses.FirstEdit)))
	}
	for _, x := range r.Findings {
		line("found", x.Where+": "+x.What)
	}
}

// requestLines show what else a request sends and wants.
func requestLines(line func(key, value string), h *kedge.HTTPCheck) {
	if h == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(h.Header)) {
		line("  header", name+": "+h.Header[name])
	}
	line("  body", h.Body)
	if h.JSON != nil {
		text, _ := json.Marshal(h.JSON) // it came from JSON
		line("  json", string(text))
	}
}

// FirstEdit says what a session read before it changed anything.
func FirstEdit(f *kedge.FirstAct) string {
	if f == nil {
		return "calls before its first edit: not reported"
	}
	text := fmt.Sprintf("first edit after %s and ~%s tokens read", frame.Counted(f.Calls, "call"), frame.Thousands(f.ReadTokens))
	if f.UsedTokens != nil {
		text += fmt.Sprintf(" (%s used)", frame.Thousands(*f.UsedTokens))
	}
	return text
}

func join(ids []kedge.FeatureID) string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = string(id)
	}
	return strings.Join(names, ", ")
}

func proveText(c kedge.Check) string {
	if c.Prove == check.ProveHolds {
		return "holds (green before and after the work)"
	}
	return "fails (red before the work)"
}

// verdictLines show what a feature was judged by: what ran, how it ended, and
// where to look.
func verdictLines(line func(key, value string), ev *kedge.Evidence) {
	if ev == nil {
		return
	}
	when := " at " + ev.At.UTC().Format("2006-01-02 15:04:05") + " UTC"
	switch ev.For {
	case kedge.StageProve, kedge.StageBaseline:
		when += ", before any work"
	case kedge.StageRecheck:
		when += ", looked at again"
	default:
	}
	line("  verdict", frame.VerdictText(ev.Verdict.Verdict)+when)
	line("  tree", ev.Verdict.Tree)
	line("  tests", frame.CornersText(ev.Corners))
	for _, c := range ev.Verdict.Checks {
		if c.Skipped != "" {
			continue
		}
		line("  ran", c.Command+" (exit "+strconv.Itoa(c.Exit)+frame.ReusedFrom(c)+")")
		line("  log", c.Log)
		for _, kept := range frame.KeptFiles(c.Evidence) {
			line("  kept", kept)
		}
	}
}
