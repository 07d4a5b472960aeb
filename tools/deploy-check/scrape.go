package main

import (
	"os"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/discovery/dns"
	"github.com/prometheus/prometheus/discovery/targetgroup"
	"go.yaml.in/yaml/v2"
)

// scrapeFile is the part of Prometheus' configuration that is used here. Decoding all of it would need the clients of
// every cloud.
type scrapeFile struct {
	Global struct {
		ScrapeInterval     model.Duration `yaml:"scrape_interval"`
		EvaluationInterval model.Duration `yaml:"evaluation_interval"`
	} `yaml:"global"`
	RuleFiles     []string `yaml:"rule_files"`
	ScrapeConfigs []struct {
		JobName string               `yaml:"job_name"`
		DNS     []*dns.SDConfig      `yaml:"dns_sd_configs"`
		Static  []*targetgroup.Group `yaml:"static_configs"`
	} `yaml:"scrape_configs"`
}

// checkScrape decodes strictly, and uses Prometheus' own decoders for targets.
func checkScrape(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file scrapeFile
	if err := yaml.UnmarshalStrict(text, &file); err != nil {
		return []string{err.Error()}, nil
	}
	var findings []string
	jobs := map[string]bool{}
	for _, one := range file.ScrapeConfigs {
		if one.JobName == "" || jobs[one.JobName] {
			findings = append(findings, "a job has no name, or that of another: "+one.JobName)
		}
		jobs[one.JobName] = true
		if len(one.DNS)+len(one.Static) == 0 {
			findings = append(findings, one.JobName+" has no targets")
		}
	}
	return findings, nil
}
