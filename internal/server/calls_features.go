package server

import "kedge/internal/app"

func featureCalls() []Call {
	return []Call{
		call("features", Reading, (*app.Service).Features),
		call("features.import", Writing, (*app.Service).FeaturesImport),
		call("features.export", Reading, (*app.Service).FeaturesExport),
		call("feature.add", Writing, (*app.Service).FeatureAdd),
		call("feature.amend", Writing, (*app.Service).FeatureAmend),
		forRuns(call("feature.submit", Writing, (*app.Service).FeatureSubmit)),
		call("feature.accept", Writing, (*app.Service).FeatureAccept),
		call("feature.block", Writing, (*app.Service).FeatureBlock),
		call("feature.reopen", Writing, (*app.Service).FeatureReopen),
		call("feature.skip", Writing, (*app.Service).FeatureSkip),
		call("feature.show", Reading, (*app.Service).FeatureShow),
		call("ready", Reading, (*app.Service).Ready),
		call("next", Reading, (*app.Service).Next),
		call("plan.new", Writing, (*app.Service).PlanNew),
		call("plan.show", Reading, (*app.Service).PlanShow),
		call("plan.check", Reading, (*app.Service).PlanCheck),
		call("plan.approve", Writing, (*app.Service).PlanApprove),
		call("plan.amend", Writing, (*app.Service).PlanAmend),
		call("plan.diff", Reading, (*app.Service).PlanDiff),
		call("plan.drop", Writing, (*app.Service).PlanDrop),
	}
}
