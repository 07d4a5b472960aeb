package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"
)

// firingCase is an array of series in promtool's notation (`name{label="a"} 0+1x60`), with one value per minute.
type firingCase []string

// Rules are evaluated once a minute until the series end.
const step = time.Minute

// printFiring prints which alerts fire at the end of the series, for each case in a JSON file.
func printFiring(args []string) ([]string, error) {
	if len(args) != 2 {
		return nil, fmt.Errorf("fires wants a file of alerts and a file of cases")
	}
	groups, errs := rulefmt.ParseFile(args[0], false, model.UTF8Validation)
	if len(errs) > 0 {
		return nil, errs[0]
	}
	text, err := os.ReadFile(args[1])
	if err != nil {
		return nil, err
	}
	var cases []firingCase
	if err := json.Unmarshal(text, &cases); err != nil {
		return nil, err
	}
	answers := [][]string{}
	for _, one := range cases {
		firing, err := firingOf(groups, one)
		if err != nil {
			return nil, err
		}
		answers = append(answers, firing)
	}
	return nil, printJSON(answers)
}

func firingOf(groups *rulefmt.RuleGroups, one firingCase) ([]string, error) {
	series, minutes, err := seriesOf(one)
	if err != nil {
		return nil, err
	}
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 1_000_000, Timeout: time.Minute})
	defer engine.Close()
	firing := []string{}
	for _, group := range groups.Groups {
		for _, rule := range group.Rules {
			fires, err := firesAtEnd(engine, series, rule, minutes)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", rule.Alert, err)
			}
			if fires {
				firing = append(firing, rule.Alert)
			}
		}
	}
	return firing, nil
}

// firesAtEnd returns whether a series was true at every evaluation during the rule's last `for`.
func firesAtEnd(engine *promql.Engine, series memory, rule rulefmt.Rule, minutes int) (bool, error) {
	pendingSince := map[uint64]int{}
	for minute := range minutes {
		query, err := engine.NewInstantQuery(context.Background(), series, nil, rule.Expr, time.Unix(0, 0).Add(time.Duration(minute)*step))
		if err != nil {
			return false, err
		}
		result := query.Exec(context.Background())
		vector, err := result.Vector()
		if err != nil {
			return false, err
		}
		still := map[uint64]int{}
		for _, sample := range vector {
			id := sample.Metric.Hash()
			since, pending := pendingSince[id]
			if !pending {
				since = minute
			}
			still[id] = since
		}
		query.Close()
		pendingSince = still
	}
	for _, since := range pendingSince {
		if time.Duration(minutes-1-since)*step >= time.Duration(rule.For) {
			return true, nil
		}
	}
	return false, nil
}

func seriesOf(one firingCase) (memory, int, error) {
	var all memory
	minutes := 0
	for _, line := range one {
		name, values, err := parser.ParseSeriesDesc(line)
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w", line, err)
		}
		var samples []chunks.Sample
		for index, value := range values {
			if !value.Omitted {
				samples = append(samples, sample{at: int64(index) * step.Milliseconds(), value: value.Value})
			}
		}
		minutes = max(minutes, len(values))
		all = append(all, storage.NewListSeries(name, samples))
	}
	return all, minutes, nil
}

// memory is the part of Prometheus' storage that queries need.
type memory []storage.Series

func (series memory) Querier(_, _ int64) (storage.Querier, error) { return series, nil }

func (series memory) Select(_ context.Context, _ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
	var found memory
	for _, one := range series {
		if !slices.ContainsFunc(matchers, func(matcher *labels.Matcher) bool {
			return !matcher.Matches(one.Labels().Get(matcher.Name))
		}) {
			found = append(found, one)
		}
	}
	return &cursor{series: found}
}

func (memory) LabelValues(context.Context, string, *storage.LabelHints, ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	return nil, nil, nil
}

func (memory) LabelNames(context.Context, *storage.LabelHints, ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	return nil, nil, nil
}

func (memory) Close() error { return nil }

type cursor struct {
	series memory
	next   int
}

func (it *cursor) Next() bool                        { it.next++; return it.next <= len(it.series) }
func (it *cursor) At() storage.Series                { return it.series[it.next-1] }
func (it *cursor) Err() error                        { return nil }
func (it *cursor) Warnings() annotations.Annotations { return nil }

type sample struct {
	at    int64
	value float64
}

func (it sample) T() int64                   { return it.at }
func (it sample) F() float64                 { return it.value }
func (sample) H() *histogram.Histogram       { return nil }
func (sample) FH() *histogram.FloatHistogram { return nil }
func (sample) Type() chunkenc.ValueType      { return chunkenc.ValFloat }
func (it sample) Copy() chunks.Sample        { return it }
