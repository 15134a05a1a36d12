package mcp

import (
	"kedge/internal/app/verify"
)

// featureSubmit is `kedge feature submit`.
func featureSubmit() tool {
	return tool{
		name: "feature_submit", scope: acting,
		about: "Ask Kedge to verify a feature: it runs all checks itself and completes it only if all are green. Takes as long as the checks.",
		input: takesID,
		output: `{"type":"object","required":["feature","verdict","evidence"],"properties":{` +
			`"feature":{"type":"object"},"reason":{"type":"string"},"verdict":{"type":["object","null"]},"evidence":{"type":"string"}}}`,
		run: calling("feature_submit", "feature.submit", func(s *Server, a featureID) any {
			return verify.FeatureSubmitRequest{ID: a.ID, Env: s.Environ}
		}),
	}
}
