package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

// checkAlerts checks rules as Prometheus does when it loads them: unknown fields, expressions, labels, templates.
func checkAlerts(path string) ([]string, error) {
	groups, errs := rulefmt.ParseFile(path, false, model.UTF8Validation)
	var findings []string
	for _, err := range errs {
		findings = append(findings, err.Error())
	}
	if groups != nil && len(groups.Groups) == 0 {
		findings = append(findings, "no rules")
	}
	return findings, nil
}

// printMetrics prints the metrics that a dashboard (.json) or a file of rules reads, each with its used labels. A label
// is used by a matcher, or by the grouping of an expression around the metric.
func printMetrics(path string) ([]string, error) {
	queries, err := queriesOf(path)
	if err != nil {
		return nil, err
	}
	metrics := map[string][]string{}
	for _, query := range queries {
		expression, err := parser.ParseExpr(query)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", query, err)
		}
		parser.Inspect(expression, func(node parser.Node, around []parser.Node) error {
			if selector, is := node.(*parser.VectorSelector); is {
				metrics[selector.Name] = merged(metrics[selector.Name], labelsAsked(selector, around))
			}
			return nil
		})
	}
	return nil, printJSON(metrics)
}

func labelsAsked(selector *parser.VectorSelector, around []parser.Node) []string {
	var asked []string
	for _, matcher := range selector.LabelMatchers {
		if matcher.Name != model.MetricNameLabel {
			asked = append(asked, matcher.Name)
		}
	}
	for _, node := range around {
		if group, is := node.(*parser.AggregateExpr); is && !group.Without {
			asked = append(asked, group.Grouping...)
		}
	}
	return asked
}

func merged(one, other []string) []string {
	all := append(append([]string{}, one...), other...)
	slices.Sort(all)
	return slices.Compact(all)
}

func queriesOf(path string) ([]string, error) {
	if strings.HasSuffix(path, ".json") {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		found, err := dashboardQueries(text)
		return found, err
	}
	groups, errs := rulefmt.ParseFile(path, false, model.UTF8Validation)
	if len(errs) > 0 {
		return nil, errs[0]
	}
	var queries []string
	for _, group := range groups.Groups {
		for _, rule := range group.Rules {
			queries = append(queries, rule.Expr)
		}
	}
	return queries, nil
}
