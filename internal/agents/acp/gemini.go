package acp

// geminiWindow is the size that Gemini takes every model's context to have.
const geminiWindow = 1 << 20

// Gemini is the adapter of Google's Gemini CLI; argv is the program with
// arguments of its own, empty where it is simply gemini. It is driven over the
// Agent Client Protocol: of its two ways without a screen the one in which it asks
// before it acts and can be interrupted. What it used comes from its telemetry. It
// was made with 0.61.0.
func Gemini(argv []string) *Adapter {
	return known(argv, program{
		kind: "gemini", screen: "--prompt-interactive", window: geminiWindow, metered: true, chosen: true, settles: true,
		args: []string{"--acp", "--skip-trust"}, // the folder is Kedge's own work tree, which nobody was ever asked about
		wrap: []string{"sh", "-c", meterScript, "gemini"},
		env: []string{
			"GEMINI_CLI_NO_RELAUNCH=true", // a second process would not have the descriptor
			"GEMINI_TELEMETRY_ENABLED=true", "GEMINI_TELEMETRY_TARGET=local", "GEMINI_TELEMETRY_OUTFILE=/dev/fd/3",
			"GEMINI_TELEMETRY_LOG_PROMPTS=false", "GEMINI_TELEMETRY_USE_COLLECTOR=false", "OTEL_TRACES_SAMPLER=always_off",
			"GEMINI_PTY_INFO=child_process", // what a command prints under a terminal of its own is not told
		},
	})
}
