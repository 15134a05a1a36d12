package service

import (
	"kedge/internal/attend"
	"kedge/internal/book"
	"kedge/internal/care"
	"kedge/internal/clerk"
	"kedge/internal/drive"
	"kedge/internal/enrol"
	"kedge/internal/gating"
	"kedge/internal/keep"
	"kedge/internal/look"
	"kedge/internal/project"
	"kedge/internal/standing"
)

// The requests and answers of the commands, under the one name that surfaces import.

// Caller says who asks, from which folder, and which request it is.
type Caller = project.Caller

//nolint:revive // documented in package book
type (
	Aside    = book.Aside
	HeldFile = book.HeldFile
)

//nolint:revive // documented in package clerk
type (
	DecisionAddRequest      = clerk.DecisionAddRequest
	DecisionListReply       = clerk.DecisionListReply
	DecisionListRequest     = clerk.DecisionListRequest
	DecisionReply           = clerk.DecisionReply
	DecisionShowReply       = clerk.DecisionShowReply
	DecisionShowRequest     = clerk.DecisionShowRequest
	DecisionWithdrawRequest = clerk.DecisionWithdrawRequest
	FeatureAddRequest       = clerk.FeatureAddRequest
	FeatureAmendRequest     = clerk.FeatureAmendRequest
	FeatureReply            = clerk.FeatureReply
	FeatureShowReply        = clerk.FeatureShowReply
	FeatureShowRequest      = clerk.FeatureShowRequest
	FeatureStatusRequest    = clerk.FeatureStatusRequest
	FeaturesExportReply     = clerk.FeaturesExportReply
	FeaturesExportRequest   = clerk.FeaturesExportRequest
	FeaturesImportReply     = clerk.FeaturesImportReply
	FeaturesImportRequest   = clerk.FeaturesImportRequest
	FeaturesReply           = clerk.FeaturesReply
	FeaturesRequest         = clerk.FeaturesRequest
	NextRequest             = clerk.NextRequest
	NoteAddRequest          = clerk.NoteAddRequest
	NoteCommit              = clerk.NoteCommit
	NoteReply               = clerk.NoteReply
	NoteShowReply           = clerk.NoteShowReply
	NoteShowRequest         = clerk.NoteShowRequest
	NotesLintReply          = clerk.NotesLintReply
	NotesLintRequest        = clerk.NotesLintRequest
	NotesReply              = clerk.NotesReply
	NotesRequest            = clerk.NotesRequest
	PlanApproveReply        = clerk.PlanApproveReply
	PathLimit               = clerk.PathLimit
	PlanApproveRequest      = clerk.PlanApproveRequest
	PlanCheckReply          = clerk.PlanCheckReply
	PlanCheckRequest        = clerk.PlanCheckRequest
	PlanNewReply            = clerk.PlanNewReply
	PlanNewRequest          = clerk.PlanNewRequest
	PlanShowReply           = clerk.PlanShowReply
	PlanShowRequest         = clerk.PlanShowRequest
	ReadyRequest            = clerk.ReadyRequest
	RecallReply             = clerk.RecallReply
	RecallRequest           = clerk.RecallRequest
	RiskAddRequest          = clerk.RiskAddRequest
	RiskCloseRequest        = clerk.RiskCloseRequest
	RiskListReply           = clerk.RiskListReply
	RiskListRequest         = clerk.RiskListRequest
	RiskReply               = clerk.RiskReply
	RulesLintReply          = clerk.RulesLintReply
	RulesLintRequest        = clerk.RulesLintRequest
	RulesShowReply          = clerk.RulesShowReply
	RulesShowRequest        = clerk.RulesShowRequest
)

//nolint:revive // documented in package care
type (
	BackupReply           = care.BackupReply
	BackupRequest         = care.BackupRequest
	DoctorReply           = care.DoctorReply
	DoctorRequest         = care.DoctorRequest
	FilterApproveReply    = care.FilterApproveReply
	FilterApproveRequest  = care.FilterApproveRequest
	FilterListReply       = care.FilterListReply
	FilterListRequest     = care.FilterListRequest
	ProjectInfo           = care.ProjectInfo
	ProjectListReply      = care.ProjectListReply
	ProjectListRequest    = care.ProjectListRequest
	ProjectRemoveReply    = care.ProjectRemoveReply
	ProjectRemoveRequest  = care.ProjectRemoveRequest
	RebuildReply          = care.RebuildReply
	RebuildRequest        = care.RebuildRequest
	SalvageGCReply        = care.SalvageGCReply
	SalvageGCRequest      = care.SalvageGCRequest
	SalvageListReply      = care.SalvageListReply
	SalvageListRequest    = care.SalvageListRequest
	SalvageRestoreReply   = care.SalvageRestoreReply
	SalvageRestoreRequest = care.SalvageRestoreRequest
	TrustApproveReply     = care.TrustApproveReply
	TrustApproveRequest   = care.TrustApproveRequest
	TrustFile             = care.TrustFile
	TrustVariable         = care.TrustVariable
	WorktreeGCReply       = care.WorktreeGCReply
	WorktreeGCRequest     = care.WorktreeGCRequest
	WorktreeInfo          = care.WorktreeInfo
	WorktreeListReply     = care.WorktreeListReply
	WorktreeListRequest   = care.WorktreeListRequest
)

//nolint:revive // documented in package standing
type (
	CheckpointReply       = standing.CheckpointReply
	CheckpointSaveRequest = standing.CheckpointSaveRequest
	CheckpointShowRequest = standing.CheckpointShowRequest
	FeatureCounts         = standing.FeatureCounts
	GateInfo              = standing.GateInfo
	HandoffReply          = standing.HandoffReply
	HandoffSaveRequest    = standing.HandoffSaveRequest
	HandoffShowRequest    = standing.HandoffShowRequest
	LintReply             = standing.LintReply
	LintRequest           = standing.LintRequest
	PrimeReply            = standing.PrimeReply
	PrimeRequest          = standing.PrimeRequest
	RunInfo               = standing.RunInfo
	SessionCounts         = standing.SessionCounts
	StatusReply           = standing.StatusReply
	StatusRequest         = standing.StatusRequest
	Usage                 = standing.Usage
)

//nolint:revive // documented in package attend
type (
	HookBriefReply   = attend.HookBriefReply
	HookBriefRequest = attend.HookBriefRequest
	HookStopReply    = attend.HookStopReply
	HookStopRequest  = attend.HookStopRequest
	HookTakeReply    = attend.HookTakeReply
	HookTakeRequest  = attend.HookTakeRequest
)

//nolint:revive // documented in package enrol
type (
	InitRemoveReply   = enrol.InitRemoveReply
	InitRemoveRequest = enrol.InitRemoveRequest
	InitReply         = enrol.InitReply
	InitRequest       = enrol.InitRequest
)

//nolint:revive // documented in package gating
type (
	FeatureSubmitReply   = gating.FeatureSubmitReply
	FeatureSubmitRequest = gating.FeatureSubmitRequest
	GateReply            = gating.GateReply
	GateRequest          = gating.GateRequest
)

//nolint:revive // documented in package keep
type (
	Pass               = keep.Pass
	SearchHit          = keep.SearchHit
	SessionFound       = keep.SessionFound
	SessionKill        = keep.SessionKill
	SessionList        = keep.SessionList
	SessionListReply   = keep.SessionListReply
	SessionName        = keep.SessionName
	SessionNew         = keep.SessionNew
	SessionRename      = keep.SessionRename
	SessionResume      = keep.SessionResume
	SessionRetain      = keep.SessionRetain
	SessionRetainReply = keep.SessionRetainReply
	SessionSearch      = keep.SessionSearch
	SessionSearchReply = keep.SessionSearchReply
	SessionSend        = keep.SessionSend
	Sessions           = keep.Sessions
)

//nolint:revive // documented in package look
type (
	AuditProgress = look.AuditProgress
	AuditReply    = look.AuditReply
	AuditRequest  = look.AuditRequest
	BriefReply    = look.BriefReply
	BriefRequest  = look.BriefRequest
	CostReply     = look.CostReply
	CostRequest   = look.CostRequest
	CostRow       = look.CostRow
	StatsReply    = look.StatsReply
	StatsRequest  = look.StatsRequest
)

//nolint:revive // documented in package drive
type (
	AnswerReply        = drive.AnswerReply
	AnswerRequest      = drive.AnswerRequest
	ExplainReply       = drive.ExplainReply
	ExplainRequest     = drive.ExplainRequest
	PlanDropReply      = drive.PlanDropReply
	PlanDropRequest    = drive.PlanDropRequest
	PlanGoalReply      = drive.PlanGoalReply
	PlanGoalRequest    = drive.PlanGoalRequest
	QuestionAskReply   = drive.QuestionAskReply
	QuestionAskRequest = drive.QuestionAskRequest
	RunContinueRequest = drive.RunContinueRequest
	RunDecideRequest   = drive.RunDecideRequest
	RunEngine          = drive.RunEngine
	RunFlags           = drive.RunFlags
	RunGoing           = drive.RunGoing
	RunJob             = drive.RunJob
	RunDenyReply       = drive.RunDenyReply
	RunLandReply       = drive.RunLandReply
	RunLandRequest     = drive.RunLandRequest
	RunLimits          = drive.RunLimits
	RunLine            = drive.RunLine
	RunReply           = drive.RunReply
	RunRequest         = drive.RunRequest
	RunStartRequest    = drive.RunStartRequest
	StepsReply         = drive.StepsReply
	StepsRequest       = drive.StepsRequest
	RunStep            = drive.RunStep
	RunTellReply       = drive.RunTellReply
	RunTellRequest     = drive.RunTellRequest
	RunView            = drive.RunView
	SessionEnd         = drive.SessionEnd
	RunWatchRequest    = drive.RunWatchRequest
	RunsGoingReply     = drive.RunsGoingReply
	RunsGoingRequest   = drive.RunsGoingRequest
)

//nolint:revive // documented in package drive
const (
	LedgerCommit = drive.LedgerCommit
	OtherCommit  = drive.OtherCommit
)
