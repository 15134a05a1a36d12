package server

import "kedge/internal/app"

func gitCalls() []Call {
	return []Call{
		call("salvage.list", Reading, (*app.Service).SalvageList),
		call("salvage.restore", Writing, (*app.Service).SalvageRestore),
		call("salvage.old", Reading, (*app.Service).SalvageOld),
		call("salvage.gc", Writing, (*app.Service).SalvageGC),
		call("worktree.list", Reading, (*app.Service).WorktreeList),
		call("worktree.old", Reading, (*app.Service).WorktreeOld),
		call("worktree.gc", Writing, (*app.Service).WorktreeGC),
		call("branch.list", Reading, (*app.Service).BranchList),
		call("filter.list", Reading, (*app.Service).FilterList),
		call("filter.approve", Writing, (*app.Service).FilterApprove),
		call("trust.approve", Writing, (*app.Service).TrustApprove),
	}
}
