package api

import "kedge/internal/service"

func memoryCalls() []Call {
	return []Call{
		driven(call("decision.add", Writing, (*service.Service).DecisionAdd)),
		call("decision.list", Reading, (*service.Service).DecisionList),
		call("decision.show", Reading, (*service.Service).DecisionShow),
		call("decision.withdraw", Writing, (*service.Service).DecisionWithdraw),
		driven(call("risk.add", Writing, (*service.Service).RiskAdd)),
		driven(call("risk.close", Writing, (*service.Service).RiskClose)),
		call("risk.list", Reading, (*service.Service).RiskList),
		driven(call("note.add", Writing, (*service.Service).NoteAdd)),
		call("note.show", Reading, (*service.Service).NoteShow),
		call("note.list", Reading, (*service.Service).Notes),
		call("note.lint", Reading, (*service.Service).NotesLint),
		call("recall", Reading, (*service.Service).Recall),
		call("rules.lint", Reading, (*service.Service).RulesLint),
		call("rules.show", Reading, (*service.Service).RulesShow),
	}
}
