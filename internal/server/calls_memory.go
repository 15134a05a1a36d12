package server

import "kedge/internal/app"

func memoryCalls() []Call {
	return []Call{
		forRuns(call("decision.add", Writing, (*app.Service).DecisionAdd)),
		call("decision.list", Reading, (*app.Service).DecisionList),
		call("decision.show", Reading, (*app.Service).DecisionShow),
		call("decision.withdraw", Writing, (*app.Service).DecisionWithdraw),
		forRuns(call("risk.add", Writing, (*app.Service).RiskAdd)),
		forRuns(call("risk.close", Writing, (*app.Service).RiskClose)),
		call("risk.list", Reading, (*app.Service).RiskList),
		forRuns(call("note.add", Writing, (*app.Service).NoteAdd)),
		call("note.show", Reading, (*app.Service).NoteShow),
		call("note.list", Reading, (*app.Service).Notes),
		call("note.lint", Reading, (*app.Service).NotesLint),
		call("recall", Reading, (*app.Service).Recall),
		call("rules.lint", Reading, (*app.Service).RulesLint),
		call("rules.show", Reading, (*app.Service).RulesShow),
	}
}
