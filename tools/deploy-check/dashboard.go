package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
	"github.com/prometheus/prometheus/promql/parser"
)

var panels = map[string]bool{"row": true, "timeseries": true, "stat": true}

// checkDashboard decodes strictly with the types of Grafana's own SDK, including options of panels and queries. It
// parses each query as Prometheus does.
func checkDashboard(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	runtime := cog.NewRuntime()
	runtime.RegisterPanelcfgVariant(timeseries.VariantConfig())
	runtime.RegisterPanelcfgVariant(stat.VariantConfig())
	runtime.RegisterDataqueryVariant(prometheus.VariantConfig())
	var model dashboard.Dashboard
	if err := model.UnmarshalJSONStrict(text); err != nil {
		return []string{err.Error()}, nil
	}
	if err := model.Validate(); err != nil {
		return []string{err.Error()}, nil
	}
	findings := panelFindings(model)
	queries, err := dashboardQueries(text)
	if err != nil {
		return findings, err
	}
	for _, query := range queries {
		if _, err := parser.ParseExpr(query); err != nil {
			findings = append(findings, fmt.Sprintf("%s: %s", query, err))
		}
	}
	return findings, nil
}

func panelFindings(model dashboard.Dashboard) []string {
	var findings []string
	ids := map[uint32]bool{}
	for _, one := range model.Panels {
		if one.Panel == nil {
			continue
		}
		if !panels[one.Panel.Type] {
			findings = append(findings, "nothing here knows panels of type "+one.Panel.Type)
		}
		if one.Panel.Id == nil || ids[*one.Panel.Id] {
			findings = append(findings, "a panel has no id, or that of another")
			continue
		}
		ids[*one.Panel.Id] = true
	}
	return findings
}

// The values that Grafana inserts for its own variables.
var variables = strings.NewReplacer("$__rate_interval", "5m", "$__range", "1h", "$__interval", "1m")

// dashboardQueries returns every `expr` and every `label_values(…)` of a variable, with variables replaced.
func dashboardQueries(text []byte) ([]string, error) {
	var model struct {
		Panels     []struct{ Targets []struct{ Expr string } }
		Templating struct {
			List []struct {
				Type  string
				Query json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(text, &model); err != nil {
		return nil, err
	}
	var queries []string
	for _, panel := range model.Panels {
		for _, target := range panel.Targets {
			queries = append(queries, variables.Replace(target.Expr))
		}
	}
	for _, variable := range model.Templating.List {
		if variable.Type != "query" {
			continue
		}
		var query struct{ Query string }
		if err := json.Unmarshal(variable.Query, &query); err != nil {
			return nil, err
		}
		selector, _, found := strings.Cut(strings.TrimPrefix(query.Query, "label_values("), ", ")
		if !found {
			return nil, fmt.Errorf("a variable asks %s; only label_values(selector, label) is known here", query.Query)
		}
		queries = append(queries, selector)
	}
	return queries, nil
}
