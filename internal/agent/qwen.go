package agent

import (
	"slices"
	"strings"

	"kedge/internal/watch"
)

// NewQwen is the adapter of Qwen Code; argv is the program with arguments of its
// own, empty where it is simply qwen. It is driven over the Agent Client Protocol,
// beside which it tells what every reply used. It was made with 0.15.10.
func NewQwen(argv []string) *ACP {
	if len(argv) == 0 {
		argv = []string{"qwen"}
	}
	return &ACP{argv: slices.Clone(argv), own: acpProgram{
		kind: "qwen", args: qwenArgs, screen: qwenScreen, chosen: true, model: qwenModel,
		notice: qwenNotice,
	}}
}

// qwenModel is the name in "$runtime|openai|NAME(openai)", or in "NAME(openai)".
func qwenModel(id string) string {
	name, _, _ := strings.Cut(id[strings.LastIndex(id, "|")+1:], "(")
	return name
}

// qwenNotice: that it shortened its context it says as if the model did.
func qwenNotice(text string) acpNotice {
	if strings.HasPrefix(text, "IMPORTANT: This conversation approached the input token limit") {
		return acpNotice{kind: watch.Compact, text: text}
	}
	return acpNotice{}
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
