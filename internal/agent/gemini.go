package agent

import "slices"

// geminiWindow is the size that Gemini takes every model's context to have.
const geminiWindow = 1 << 20

// NewGemini is the adapter of Google's Gemini CLI; argv is the program with
// arguments of its own, empty where it is simply gemini. It is driven over the
// Agent Client Protocol: of its two ways without a screen the one in which it asks
// before it acts and can be interrupted. What it used comes from its telemetry. It
// was made with 0.61.0.
func NewGemini(argv []string) *ACP {
	if len(argv) == 0 {
		argv = []string{"gemini"}
	}
	return &ACP{argv: slices.Clone(argv), own: acpProgram{
		kind: "gemini", args: geminiArgs, screen: geminiScreen, window: geminiWindow, metered: true, chosen: true, settles: true,
		wrap: []string{"sh", "-c", meterScript, "gemini"},
		env: []string{
			"GEMINI_CLI_NO_RELAUNCH=true", // a second process would not have the descriptor
			"GEMINI_TELEMETRY_ENABLED=true", "GEMINI_TELEMETRY_TARGET=local", "GEMINI_TELEMETRY_OUTFILE=/dev/fd/3",
			"GEMINI_TELEMETRY_LOG_PROMPTS=false", "GEMINI_TELEMETRY_USE_COLLECTOR=false", "OTEL_TRACES_SAMPLER=always_off",
			"GEMINI_PTY_INFO=child_process", // what a command prints under a terminal of its own is not told
		},
	}}
}

// geminiArgs: the folder is Kedge's own work tree, which nobody was ever asked
// about.
func geminiArgs(t Task) []string {
	args := []string{"--acp", "--skip-trust"}
	if t.Model != "" {
		args = append(args, "--model", t.Model)
	}
	return args
}

func geminiScreen(t Task) []string {
	var args []string
	if t.Model != "" {
		args = append(args, "--model", t.Model)
	}
	if t.Resume != "" {
		args = append(args, "--resume", t.Resume)
	}
	return append(args, "--prompt-interactive", readBrief(t))
}
