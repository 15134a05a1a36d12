package git

import (
	"kedge/internal/git/checkout"
	"kedge/internal/git/hardened"
	"kedge/internal/git/history"
	"kedge/internal/git/salvage"
	"kedge/internal/git/worktree"
)

// The requests and answers of the parts, under the one name that callers import.

//nolint:revive // documented in package hardened
type (
	Cache   = hardened.Cache
	Filter  = hardened.Filter
	Options = hardened.Options
	Person  = hardened.Person
)

// FilterDigits is how many digits of a Filter's Hash name its commands: so many
// that nobody finds other commands with the same ones.
const FilterDigits = hardened.FilterDigits

//nolint:revive // documented in package history
type (
	Change        = history.Change
	CommitInfo    = history.CommitInfo
	Logged        = history.Logged
	CommitRequest = history.CommitRequest
	Entry         = history.Entry
	File          = history.File
	Head          = history.Head
	MergeRequest  = history.MergeRequest
	Piece         = history.Piece
	Merged        = history.Merged
)

//nolint:revive // documented in package checkout
type (
	CommitPathsRequest = checkout.CommitPathsRequest
	PutRequest         = checkout.PutRequest
	ResetRequest       = checkout.ResetRequest
)

//nolint:revive // documented in package salvage
type (
	Copy           = salvage.Copy
	CopyRequest    = salvage.CopyRequest
	RestoreRequest = salvage.RestoreRequest
	SalvageRequest = salvage.Request
)

// SubmoduleWork is what a submodule holds that is in no commit which the repository has.
type SubmoduleWork = checkout.SubmoduleWork

//nolint:revive // documented in package worktree
type (
	ForwardRequest  = worktree.ForwardRequest
	WorktreeRequest = worktree.AddRequest
)
