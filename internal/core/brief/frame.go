package brief

// Heading begins a section of a brief.
func Heading(name string) string { return heading(name) }

// Quote frames a text as data: every line of it starts with "> ", and hidden
// characters are written out.
func Quote(s string) string { return quote(s) }

// Line is a text on one line, with hidden characters written out.
func Line(s string) string { return line(s) }
