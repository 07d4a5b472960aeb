package main

import (
	"os"

	"go.temporal.io/server/common/dynamicconfig"
	"go.yaml.in/yaml/v2"
)

// checkTemporal loads a dynamic configuration as Temporal's server does. An unknown key or constraint, or a value of a
// wrong type, is a finding. The server would only log a warning and ignore it.
func checkTemporal(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	loaded := dynamicconfig.LoadYamlFile(text)
	var findings []string
	for _, problem := range append(loaded.Errors, loaded.Warnings...) {
		findings = append(findings, problem.Error())
	}
	if len(findings) == 0 && len(loaded.Map) == 0 {
		findings = append(findings, "it sets nothing")
	}
	// The server ignores other fields.
	var values map[string][]struct {
		Value       any
		Constraints map[string]any
	}
	if err := yaml.UnmarshalStrict(text, &values); err != nil && len(findings) == 0 {
		findings = append(findings, err.Error())
	}
	return findings, nil
}
