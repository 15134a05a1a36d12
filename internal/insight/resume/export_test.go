package resume

// Numbers gives the names of the numbers by which files are ordered.
func Numbers() []string {
	var names []string
	eachNumber(&tuning{}, func(name string, _ *float64) { names = append(names, name) })
	return names
}

// With gives a Picker with one of the numbers changed.
func With(number string, change func(float64) float64) *Picker {
	t := fitted
	eachNumber(&t, func(name string, v *float64) {
		if name == number {
			*v = change(*v)
		}
	})
	return tuned(&t)
}

func eachNumber(t *tuning, f func(name string, v *float64)) {
	f("pace", &t.pace)
	f("mention pace", &t.mentionPace)
	for i, name := range []string{actRead: "read", actEdit: "edit", actLook: "look", actShell: "shell", actPrint: "print"} {
		f("worth of "+name, &t.worth[i])
	}
	for i, name := range []string{
		sigUse: "use", sigInAsk: "in ask", sigAhead: "ahead", sigTodo: "todo", sigRed: "red", sigOutput: "output", sigSaid: "said", sigFolder: "folder", sigForAsk: "for ask",
	} {
		f("weight of "+name, &t.weights[i])
	}
}
