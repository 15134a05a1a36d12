package server

import "kedge/internal/app"

func careCalls() []Call {
	return []Call{
		call("rebuild", Writing, (*app.Service).Rebuild),
		call("backup", Reading, (*app.Service).Backup),
		call("restore", Writing, (*app.Service).Restore),
		call("doctor", Reading, (*app.Service).Doctor),
		personal(call("operator.list", Reading, (*app.Service).OperatorList)),
		call("operator.add", Writing, (*app.Service).OperatorAdd),
		call("operator.remove", Writing, (*app.Service).OperatorRemove),
		call("project.list", Reading, (*app.Service).ProjectList),
		call("project.remove", Writing, (*app.Service).ProjectRemove),
	}
}
