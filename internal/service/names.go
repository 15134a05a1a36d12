package service

import (
	"kedge/internal/book"
	"kedge/internal/care"
)

// The requests and answers of the commands, under the one name that surfaces import.

// From care.
type (
	FilterApproveReply    = care.FilterApproveReply
	FilterApproveRequest  = care.FilterApproveRequest
	FilterListReply       = care.FilterListReply
	FilterListRequest     = care.FilterListRequest
	SalvageGCReply        = care.SalvageGCReply
	SalvageGCRequest      = care.SalvageGCRequest
	SalvageListReply      = care.SalvageListReply
	SalvageListRequest    = care.SalvageListRequest
	SalvageRestoreReply   = care.SalvageRestoreReply
	SalvageRestoreRequest = care.SalvageRestoreRequest
	WorktreeGCReply       = care.WorktreeGCReply
	WorktreeGCRequest     = care.WorktreeGCRequest
	WorktreeInfo          = care.WorktreeInfo
	WorktreeListReply     = care.WorktreeListReply
	WorktreeListRequest   = care.WorktreeListRequest
)

// From book.
type (
	Aside = book.Aside
)
