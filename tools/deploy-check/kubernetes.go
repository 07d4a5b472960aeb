package main

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/apps"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	appsvalidation "k8s.io/kubernetes/pkg/apis/apps/validation"
	"k8s.io/kubernetes/pkg/apis/autoscaling"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	autoscalingvalidation "k8s.io/kubernetes/pkg/apis/autoscaling/validation"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/apis/networking"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	networkingvalidation "k8s.io/kubernetes/pkg/apis/networking/validation"
	"k8s.io/kubernetes/pkg/apis/policy"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	policyvalidation "k8s.io/kubernetes/pkg/apis/policy/validation"
	podsecurity "k8s.io/pod-security-admission/api"
	podsecuritypolicy "k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

const keda = "keda.sh"

// checkKubernetes builds a kustomization and handles each object as an API server would: refuses unknown and repeated
// fields, sets defaults, converts and validates. It also checks pods against Pod Security's level "restricted".
func checkKubernetes(folder string) ([]string, error) {
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		return nil, err
	}
	var findings []string
	for _, resource := range built.Resources() {
		text, err := resource.AsYAML()
		if err != nil {
			return findings, err
		}
		check := checkObject
		if resource.GetGvk().Group == keda {
			check = checkKeda
		}
		for _, problem := range check(text) {
			findings = append(findings, fmt.Sprintf("%s %s: %s", resource.GetKind(), resource.GetName(), problem))
		}
	}
	return findings, nil
}

var strict = serializer.NewCodecFactory(legacyscheme.Scheme, serializer.EnableStrict).UniversalDeserializer()

func checkObject(text []byte) []string {
	object, kind, err := strict.Decode(text, nil, nil)
	if err != nil {
		return []string{err.Error()}
	}
	legacyscheme.Scheme.Default(object)
	internal, err := legacyscheme.Scheme.ConvertToVersion(object, runtime.InternalGroupVersioner)
	if err != nil {
		return []string{err.Error()}
	}
	asRequested(internal)
	errors, known := validate(internal)
	if !known {
		return []string{"nothing here validates " + kind.String()}
	}
	var findings []string
	for _, problem := range errors {
		findings = append(findings, problem.Error())
	}
	return append(findings, podSecurityFindings(internal)...)
}

// asRequested sets the fields that a server takes from the request before it validates.
func asRequested(object runtime.Object) {
	if it, err := meta.Accessor(object); err == nil && it.GetNamespace() == "" {
		if _, global := object.(*core.Namespace); !global {
			it.SetNamespace("default")
		}
	}
	if it, is := object.(*core.Service); is && it.Spec.ClusterIP != "" {
		it.Spec.ClusterIPs = []string{it.Spec.ClusterIP}
	}
}

func validate(object runtime.Object) (field.ErrorList, bool) {
	var pods corevalidation.PodValidationOptions
	switch it := object.(type) {
	case *apps.Deployment:
		return appsvalidation.ValidateDeployment(it, pods), true
	case *apps.StatefulSet:
		return appsvalidation.ValidateStatefulSet(it, pods), true
	case *core.Namespace:
		return corevalidation.ValidateNamespace(it), true
	case *core.ConfigMap:
		return corevalidation.ValidateConfigMap(it), true
	case *core.Secret:
		return corevalidation.ValidateSecret(it), true
	case *core.Service:
		return corevalidation.ValidateServiceCreate(it), true
	case *core.ServiceAccount:
		return corevalidation.ValidateServiceAccount(it), true
	case *networking.NetworkPolicy:
		return networkingvalidation.ValidateNetworkPolicy(it, networkingvalidation.NetworkPolicyValidationOptions{}), true
	case *policy.PodDisruptionBudget:
		return policyvalidation.ValidatePodDisruptionBudget(it, policyvalidation.PodDisruptionBudgetValidationOptions{}), true
	case *autoscaling.HorizontalPodAutoscaler:
		return autoscalingvalidation.ValidateHorizontalPodAutoscaler(it, autoscalingvalidation.HorizontalPodAutoscalerSpecValidationOptions{}), true
	}
	return nil, false
}

func podSecurityFindings(object runtime.Object) []string {
	var template core.PodTemplateSpec
	switch it := object.(type) {
	case *apps.Deployment:
		template = it.Spec.Template
	case *apps.StatefulSet:
		template = it.Spec.Template
	default:
		return nil
	}
	var pod v1.PodTemplateSpec
	if err := legacyscheme.Scheme.Convert(&template, &pod, nil); err != nil {
		return []string{err.Error()}
	}
	evaluator, err := podsecuritypolicy.NewEvaluator(podsecuritypolicy.DefaultChecks(), nil)
	if err != nil {
		return []string{err.Error()}
	}
	restricted := podsecurity.LevelVersion{Level: podsecurity.LevelRestricted, Version: podsecurity.LatestVersion()}
	result := podsecuritypolicy.AggregateCheckResults(evaluator.EvaluatePod(restricted, &pod.ObjectMeta, &pod.Spec))
	if result.Allowed {
		return nil
	}
	return []string{`Pod Security "restricted": ` + result.ForbiddenDetail()}
}
