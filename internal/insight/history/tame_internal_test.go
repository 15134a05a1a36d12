package history

import "testing"

// TestTame: what is markup for who shows the document is none any more; code stays.
func TestTame(t *testing.T) {
	for text, want := range map[string]string{
		"a <img src=x onerror=y> b":    "a &lt;img src=x onerror=y> b",
		"![x](http://a.example/x.png)": "&#33;[x](http://a.example/x.png)",
		"use `<T>` here <b>":           "use `<T>` here &lt;b>",
		"``a ` <b>`` <i>":              "``a ` <b>`` &lt;i>",
		"an open ` and <b>":            "an open ` and &lt;b>",
		"an open `` and ` <b>":         "an open `` and ` &lt;b>",
		"```html\n<b>\n```\n<i>":       "```html\n<b>\n```\n&lt;i>",
		"````\n```\n<b>\n````\n<i>":    "````\n```\n<b>\n````\n&lt;i>",
		"```\n<b>":                     "```\n<b>\n```",
		"~~~\n```\n~~~\n<b>":           "~~~\n```\n~~~\n&lt;b>",
		"```a`b\n<b>":                  "```a`b\n&lt;b>",
		"- a\n  ```\n<b>":              "- a\n  ```\n&lt;b>",
		"one `code\nends` <b> ` here":  "one `code\nends` &lt;b> ` here",
		"one `open\n\n` <b> `":         "one `open\n\n` <b> `",
		"\\<b> \\![x](y)":              "\\&lt;b> \\&#33;[x](y)",
		"\\`<b>` and \\\\`<c>`":        "\\`&lt;b>` and \\\\`&lt;c>`",
		"2 > 1 and a! [b]":             "2 > 1 and a! [b]",
		"":                             "",
	} {
		if got := tame(text); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}
