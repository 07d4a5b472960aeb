// Deploy-check checks the files of deploy/ with the parsers and validators of the programs that read them. Each command
// prints one line per finding, and then ends with 1. `fires` and `metrics` print JSON on stdout.
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

const usage = `deploy-check dockerfile FILE     BuildKit's parser, instructions and linter
deploy-check compose FILE        Compose's schema, interpolation and consistency
deploy-check kubernetes FOLDER   Kustomize's build, then the API server's decoding and validation, Pod Security "restricted", KEDA's schema
deploy-check alerts FILE         Prometheus' rules
deploy-check scrape FILE         Prometheus' own configuration, as far as it is used here
deploy-check temporal FILE       dynamic configuration, by the server's own loader and types
deploy-check fires FILE CASES    which alerts fire for given series, by Prometheus' engine
deploy-check dashboard FILE      Grafana's schema, and Prometheus' parser for every query
deploy-check metrics FILE        metrics that alerts or a dashboard read, and the labels they ask of each`

// A command returns its findings. It returns an error if it could not check something.
var commands = map[string]func(args []string) ([]string, error){
	"dockerfile": one(checkDockerfile),
	"compose":    one(checkCompose),
	"kubernetes": one(checkKubernetes),
	"alerts":     one(checkAlerts),
	"dashboard":  one(checkDashboard),
	"metrics":    one(printMetrics),
	"scrape":     one(checkScrape),
	"temporal":   one(checkTemporal),
	"fires":      printFiring,
}

func main() {
	if len(os.Args) < 3 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, usage)
		os.Exit(2)
	}
	findings, err := commands[os.Args[1]](os.Args[2:])
	if err != nil {
		findings = append(findings, err.Error())
	}
	for _, finding := range findings {
		fmt.Fprintln(os.Stderr, finding)
	}
	if len(findings) > 0 {
		os.Exit(1)
	}
}

func one(check func(path string) ([]string, error)) func([]string) ([]string, error) {
	return func(args []string) ([]string, error) {
		var findings []string
		for _, path := range args {
			found, err := check(path)
			for _, finding := range found {
				findings = append(findings, path+": "+finding)
			}
			if err != nil {
				return findings, fmt.Errorf("%s: %w", path, err)
			}
		}
		return findings, nil
	}
}

func printJSON(value any) error {
	return json.NewEncoder(os.Stdout).Encode(value)
}
