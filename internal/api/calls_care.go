package api

import "kedge/internal/service"

func careCalls() []Call {
	return []Call{
		call("rebuild", Writing, (*service.Service).Rebuild),
		call("backup", Reading, (*service.Service).Backup),
		call("doctor", Reading, (*service.Service).Doctor),
		call("project.list", Reading, (*service.Service).ProjectList),
		call("project.remove", Writing, (*service.Service).ProjectRemove),
	}
}
