package main

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	openapi "k8s.io/kube-openapi/pkg/validation/validate"
	"sigs.k8s.io/yaml"
)

//go:embed crds/keda.sh_scaledobjects.yaml
var scaledObjects []byte

// checkKeda checks a ScaledObject against the schema that KEDA installs. Fields outside the schema are findings,
// because an API server would drop them silently.
func checkKeda(text []byte) []string {
	schema, err := schemaOf(scaledObjects)
	if err != nil {
		return []string{err.Error()}
	}
	var object map[string]any
	if err := yaml.UnmarshalStrict(text, &object); err != nil {
		return []string{err.Error()}
	}
	if object["kind"] != "ScaledObject" {
		return []string{"nothing here validates it"}
	}
	var findings []string
	for _, problem := range openapi.NewSchemaValidator(schema, nil, "", strfmt.Default).Validate(object).Errors {
		findings = append(findings, problem.Error())
	}
	// The schema does not define these, but every API server knows them.
	delete(object, "metadata")
	return append(findings, unknownFields(schema, object, "")...)
}

func schemaOf(definition []byte) (*spec.Schema, error) {
	var crd struct {
		Spec struct {
			Versions []struct {
				Schema struct{ OpenAPIV3Schema json.RawMessage }
			}
		}
	}
	if err := yaml.Unmarshal(definition, &crd); err != nil {
		return nil, err
	}
	var schema spec.Schema
	return &schema, json.Unmarshal(crd.Spec.Versions[0].Schema.OpenAPIV3Schema, &schema)
}

func unknownFields(schema *spec.Schema, value any, at string) []string {
	var findings []string
	switch it := value.(type) {
	case []any:
		if schema.Items == nil || schema.Items.Schema == nil {
			return nil
		}
		for index, item := range it {
			findings = append(findings, unknownFields(schema.Items.Schema, item, fmt.Sprintf("%s[%d]", at, index))...)
		}
	case map[string]any:
		if schema.AdditionalProperties != nil || len(schema.Properties) == 0 {
			return nil
		}
		for name, item := range it {
			property, known := schema.Properties[name]
			if !known {
				findings = append(findings, fmt.Sprintf("unknown field %s.%s", at, name))
				continue
			}
			findings = append(findings, unknownFields(&property, item, at+"."+name)...)
		}
	}
	return findings
}
