package agent

import "slices"

// NewQwen is the adapter of Qwen Code; argv is the program with arguments of its
// own, empty where it is simply qwen. It is driven over the Agent Client Protocol,
// beside which it tells what every reply used. It was made with 0.15.10.
func NewQwen(argv []string) *ACP {
	if len(argv) == 0 {
		argv = []string{"qwen"}
	}
	return &ACP{argv: slices.Clone(argv), own: acpProgram{kind: "qwen", args: qwenArgs, screen: qwenScreen, chosen: true}}
}

func qwenArgs(t Task) []string {
	args := []string{"--acp"}
	if t.Model != "" {
		args = append(args, "--model", t.Model)
	}
	return args
}

func qwenScreen(t Task) []string {
	var args []string
	if t.Model != "" {
		args = append(args, "--model", t.Model)
	}
	if t.Resume != "" {
		args = append(args, "--resume", t.Resume)
	}
	return append(args, "--prompt-interactive", readBrief(t))
}
