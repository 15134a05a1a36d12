package acp

import (
	"strings"

	"kedge/internal/core/watch"
)

// Qwen is the adapter of Qwen Code; argv is the program with arguments of its
// own, empty where it is simply qwen. It is driven over the Agent Client Protocol,
// beside which it tells what every reply used. It was made with 0.15.10.
func Qwen(argv []string) *Adapter {
	return known(argv, program{
		kind: "qwen", args: []string{"--acp"}, screen: "--prompt-interactive", chosen: true, model: qwenModel, notice: qwenNotice, writes: true,
	})
}

// qwenModel is the name in "$runtime|openai|NAME(openai)", or in "NAME(openai)".
func qwenModel(id string) string {
	name, _, _ := strings.Cut(id[strings.LastIndex(id, "|")+1:], "(")
	return name
}

// qwenNotice: that it shortened its context it says as if the model did.
func qwenNotice(text string) notice {
	if strings.HasPrefix(text, "IMPORTANT: This conversation approached the input token limit") {
		return notice{kind: watch.Compact, text: text}
	}
	return notice{}
}
