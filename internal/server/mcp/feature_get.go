package mcp

import (
	"kedge"
	"kedge/internal/app/features"
)

type featureID struct {
	ID kedge.FeatureID `json:"id"`
}

// featureGet is `kedge feature show`.
func featureGet() tool {
	return tool{
		name: "feature_get", scope: reading,
		about: "One feature: its definition, checks, status, what is in its way, and what verdicts found so far.",
		input: takesID,
		output: `{"type":"object","required":["feature","ready","why","findings"],"properties":{` +
			`"feature":{"type":"object"},"ready":{"type":"boolean"},"why":{"type":"string"},"findings":{"type":"array"},"verdict":{"type":["object","null"]}}}`,
		run: calling("feature_get", "feature.show", func(_ *Server, a featureID) any { return features.FeatureShowRequest{ID: a.ID} }),
	}
}

// takesID is the schema of a tool about one feature.
const takesID = `{"type":"object","required":["id"],"properties":{"id":{"type":"string","description":"the feature's id"}},"additionalProperties":false}`
