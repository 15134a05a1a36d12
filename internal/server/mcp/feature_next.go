package mcp

import (
	"kedge/internal/app/features"
)

// featureNext is `kedge next`.
func featureNext() tool {
	return tool{
		name: "feature_next", scope: reading,
		about: "The feature to work on now, why it is the next, and the first command to run.",
		input: noArguments,
		output: `{"type":"object","required":["feature","phase","item","branch","commit","command","why"],"properties":{` +
			`"feature":{"type":["object","null"]},"phase":{"type":"string"},"item":{"type":"string"},"branch":{"type":"string"},` +
			`"commit":{"type":"string"},"command":{"type":"string"},"why":{"type":"string"}}}`,
		run: calling("feature_next", "next", func(*Server, struct{}) any { return features.NextRequest{} }),
	}
}
