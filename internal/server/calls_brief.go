package server

import "kedge/internal/app"

func briefCalls() []Call {
	return []Call{
		forRuns(call("checkpoint.save", Writing, (*app.Service).CheckpointSave)),
		call("checkpoint.show", Reading, (*app.Service).CheckpointShow),
		call("checkpoint.lint", Reading, (*app.Service).CheckpointLint),
		forRuns(call("handoff.save", Writing, (*app.Service).HandoffSave)),
		call("handoff.show", Reading, (*app.Service).HandoffShow),
		call("handoff.lint", Reading, (*app.Service).HandoffLint),
		call("prime", Reading, (*app.Service).Prime),
		call("status", Reading, (*app.Service).Status),
	}
}
