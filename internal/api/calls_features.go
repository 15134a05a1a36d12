package api

import "kedge/internal/service"

func featureCalls() []Call {
	return []Call{
		call("features", Reading, (*service.Service).Features),
		call("features.import", Writing, (*service.Service).FeaturesImport),
		call("features.export", Reading, (*service.Service).FeaturesExport),
		call("feature.add", Writing, (*service.Service).FeatureAdd),
		call("feature.amend", Writing, (*service.Service).FeatureAmend),
		driven(call("feature.submit", Writing, (*service.Service).FeatureSubmit)),
		call("feature.accept", Writing, (*service.Service).FeatureAccept),
		call("feature.block", Writing, (*service.Service).FeatureBlock),
		call("feature.reopen", Writing, (*service.Service).FeatureReopen),
		call("feature.skip", Writing, (*service.Service).FeatureSkip),
		call("feature.show", Reading, (*service.Service).FeatureShow),
		call("ready", Reading, (*service.Service).Ready),
		call("next", Reading, (*service.Service).Next),
		call("plan.new", Writing, (*service.Service).PlanNew),
		call("plan.show", Reading, (*service.Service).PlanShow),
		call("plan.check", Reading, (*service.Service).PlanCheck),
		call("plan.approve", Writing, (*service.Service).PlanApprove),
		call("plan.drop", Writing, (*service.Service).PlanDrop),
	}
}
