package app

import (
	"kedge/internal/app/attend"
	"kedge/internal/app/clerk"
	"kedge/internal/app/ledger"
	"kedge/internal/app/maintenance"
	"kedge/internal/app/projects"
	"kedge/internal/app/reports"
	"kedge/internal/app/runs"
	"kedge/internal/app/sessions"
	"kedge/internal/app/setup"
	"kedge/internal/app/status"
	"kedge/internal/app/verify"
)

// The requests and answers of the commands, under the one name that surfaces import.

// Caller says who asks, from which folder, and which request it is.
type Caller = projects.Caller

//nolint:revive // documented in package ledger
type (
	Aside    = ledger.Aside
	HeldFile = ledger.HeldFile
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

//nolint:revive // documented in package maintenance
type (
	BackupReply           = maintenance.BackupReply
	BackupRequest         = maintenance.BackupRequest
	DoctorReply           = maintenance.DoctorReply
	DoctorRequest         = maintenance.DoctorRequest
	FilterApproveReply    = maintenance.FilterApproveReply
	FilterApproveRequest  = maintenance.FilterApproveRequest
	FilterListReply       = maintenance.FilterListReply
	FilterListRequest     = maintenance.FilterListRequest
	ProjectInfo           = maintenance.ProjectInfo
	ProjectListReply      = maintenance.ProjectListReply
	ProjectListRequest    = maintenance.ProjectListRequest
	ProjectRemoveReply    = maintenance.ProjectRemoveReply
	ProjectRemoveRequest  = maintenance.ProjectRemoveRequest
	RebuildReply          = maintenance.RebuildReply
	RebuildRequest        = maintenance.RebuildRequest
	SalvageGCReply        = maintenance.SalvageGCReply
	SalvageGCRequest      = maintenance.SalvageGCRequest
	SalvageListReply      = maintenance.SalvageListReply
	SalvageListRequest    = maintenance.SalvageListRequest
	SalvageRestoreReply   = maintenance.SalvageRestoreReply
	SalvageRestoreRequest = maintenance.SalvageRestoreRequest
	TrustApproveReply     = maintenance.TrustApproveReply
	TrustApproveRequest   = maintenance.TrustApproveRequest
	TrustFile             = maintenance.TrustFile
	TrustVariable         = maintenance.TrustVariable
	WorktreeGCReply       = maintenance.WorktreeGCReply
	WorktreeGCRequest     = maintenance.WorktreeGCRequest
	WorktreeInfo          = maintenance.WorktreeInfo
	WorktreeListReply     = maintenance.WorktreeListReply
	WorktreeListRequest   = maintenance.WorktreeListRequest
)

//nolint:revive // documented in package status
type (
	CheckpointReply       = status.CheckpointReply
	CheckpointSaveRequest = status.CheckpointSaveRequest
	CheckpointShowRequest = status.CheckpointShowRequest
	FeatureCounts         = status.FeatureCounts
	GateInfo              = status.GateInfo
	HandoffReply          = status.HandoffReply
	HandoffSaveRequest    = status.HandoffSaveRequest
	HandoffShowRequest    = status.HandoffShowRequest
	LintReply             = status.LintReply
	LintRequest           = status.LintRequest
	PrimeReply            = status.PrimeReply
	PrimeRequest          = status.PrimeRequest
	RunInfo               = status.RunInfo
	SessionCounts         = status.SessionCounts
	StatusReply           = status.StatusReply
	StatusRequest         = status.StatusRequest
	Usage                 = status.Usage
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

//nolint:revive // documented in package setup
type (
	InitRemoveReply   = setup.InitRemoveReply
	InitRemoveRequest = setup.InitRemoveRequest
	InitReply         = setup.InitReply
	InitRequest       = setup.InitRequest
)

//nolint:revive // documented in package verify
type (
	FeatureSubmitReply   = verify.FeatureSubmitReply
	FeatureSubmitRequest = verify.FeatureSubmitRequest
	GateReply            = verify.GateReply
	GateRequest          = verify.GateRequest
)

//nolint:revive // documented in package sessions
type (
	Pass               = sessions.Pass
	SearchHit          = sessions.SearchHit
	SessionFound       = sessions.SessionFound
	SessionKill        = sessions.SessionKill
	SessionList        = sessions.SessionList
	SessionListReply   = sessions.SessionListReply
	SessionName        = sessions.SessionName
	SessionNew         = sessions.SessionNew
	SessionRename      = sessions.SessionRename
	SessionResume      = sessions.SessionResume
	SessionRetain      = sessions.SessionRetain
	SessionRetainReply = sessions.SessionRetainReply
	SessionSearch      = sessions.SessionSearch
	SessionSearchReply = sessions.SessionSearchReply
	SessionSend        = sessions.SessionSend
	Sessions           = sessions.Sessions
)

//nolint:revive // documented in package reports
type (
	AuditProgress = reports.AuditProgress
	AuditReply    = reports.AuditReply
	AuditRequest  = reports.AuditRequest
	BriefReply    = reports.BriefReply
	BriefRequest  = reports.BriefRequest
	CostReply     = reports.CostReply
	CostRequest   = reports.CostRequest
	CostRow       = reports.CostRow
	StatsReply    = reports.StatsReply
	StatsRequest  = reports.StatsRequest
)

//nolint:revive // documented in package runs
type (
	AnswerReply        = runs.AnswerReply
	AnswerRequest      = runs.AnswerRequest
	ExplainReply       = runs.ExplainReply
	ExplainRequest     = runs.ExplainRequest
	PlanDropReply      = runs.PlanDropReply
	PlanDropRequest    = runs.PlanDropRequest
	PlanGoalReply      = runs.PlanGoalReply
	PlanGoalRequest    = runs.PlanGoalRequest
	QuestionAskReply   = runs.QuestionAskReply
	QuestionAskRequest = runs.QuestionAskRequest
	RunContinueRequest = runs.RunContinueRequest
	RunDecideRequest   = runs.RunDecideRequest
	RunEngine          = runs.RunEngine
	RunFlags           = runs.RunFlags
	RunGoing           = runs.RunGoing
	RunJob             = runs.RunJob
	RunDenyReply       = runs.RunDenyReply
	RunLandReply       = runs.RunLandReply
	RunLandRequest     = runs.RunLandRequest
	RunLimits          = runs.RunLimits
	RunLine            = runs.RunLine
	RunReply           = runs.RunReply
	RunRequest         = runs.RunRequest
	RunStartRequest    = runs.RunStartRequest
	StepsReply         = runs.StepsReply
	StepsRequest       = runs.StepsRequest
	RunStep            = runs.RunStep
	RunTellReply       = runs.RunTellReply
	RunTellRequest     = runs.RunTellRequest
	RunView            = runs.RunView
	SessionEnd         = runs.SessionEnd
	RunWatchRequest    = runs.RunWatchRequest
	RunsGoingReply     = runs.RunsGoingReply
	RunsGoingRequest   = runs.RunsGoingRequest
)

//nolint:revive // documented in package runs
const (
	LedgerCommit = runs.LedgerCommit
	OtherCommit  = runs.OtherCommit
)
