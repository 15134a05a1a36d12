package api

import "kedge/internal/service"

func gitCalls() []Call {
	return []Call{
		call("salvage.list", Reading, (*service.Service).SalvageList),
		call("salvage.restore", Writing, (*service.Service).SalvageRestore),
		call("salvage.old", Reading, (*service.Service).SalvageOld),
		call("salvage.gc", Writing, (*service.Service).SalvageGC),
		call("worktree.list", Reading, (*service.Service).WorktreeList),
		call("worktree.old", Reading, (*service.Service).WorktreeOld),
		call("worktree.gc", Writing, (*service.Service).WorktreeGC),
		call("filter.list", Reading, (*service.Service).FilterList),
		call("filter.approve", Writing, (*service.Service).FilterApprove),
		call("trust.approve", Writing, (*service.Service).TrustApprove),
	}
}
