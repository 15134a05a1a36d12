package api

import "kedge/internal/service"

func briefCalls() []Call {
	return []Call{
		driven(call("checkpoint.save", Writing, (*service.Service).CheckpointSave)),
		call("checkpoint.show", Reading, (*service.Service).CheckpointShow),
		call("checkpoint.lint", Reading, (*service.Service).CheckpointLint),
		driven(call("handoff.save", Writing, (*service.Service).HandoffSave)),
		call("handoff.show", Reading, (*service.Service).HandoffShow),
		call("handoff.lint", Reading, (*service.Service).HandoffLint),
		call("prime", Reading, (*service.Service).Prime),
		call("status", Reading, (*service.Service).Status),
	}
}
