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

// checkAlerts reads as Prometheus does when it loads its rules: unknown fields, expressions, labels, templates.
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

// printMetrics prints the names of all metrics that a dashboard (.json) or a file of rules reads.
func printMetrics(path string) ([]string, error) {
	queries, err := queriesOf(path)
	if err != nil {
		return nil, err
	}
	names := []string{}
	for _, query := range queries {
		expression, err := parser.ParseExpr(query)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", query, err)
		}
		parser.Inspect(expression, func(node parser.Node, _ []parser.Node) error {
			if selector, is := node.(*parser.VectorSelector); is && !slices.Contains(names, selector.Name) {
				names = append(names, selector.Name)
			}
			return nil
		})
	}
	slices.Sort(names)
	return nil, printJSON(names)
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
