package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

// checkDockerfile parses as `docker build` does. BuildKit checks the stages only later, when it converts them to its
// graph. Here, only what this project relies on is checked: stages exist, and the last stage does not run as root.
func checkDockerfile(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	parsed, err := parser.Parse(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	var findings []string
	for _, warning := range parsed.Warnings {
		findings = append(findings, warning.Short)
	}
	lint := linter.New(&linter.Config{Warn: func(rule, _, _, message string, at []parser.Range) {
		findings = append(findings, fmt.Sprintf("line %d: %s: %s", lineOf(at), rule, message))
	}})
	stages, _, err := instructions.Parse(parsed.AST, lint)
	if err != nil {
		return findings, err
	}
	return append(findings, stageFindings(stages)...), nil
}

func stageFindings(stages []instructions.Stage) []string {
	var findings []string
	known := map[string]bool{}
	for _, stage := range stages {
		for _, command := range stage.Commands {
			if copied, is := command.(*instructions.CopyCommand); is && copied.From != "" && !known[copied.From] {
				findings = append(findings, fmt.Sprintf("line %d: COPY --from=%s: no such stage before", lineOf(copied.Location()), copied.From))
			}
		}
		known[stage.Name] = true
		if !strings.Contains(stage.BaseName, ":") && !known[stage.BaseName] {
			findings = append(findings, fmt.Sprintf("line %d: FROM %s: neither a stage before nor an image with a tag", lineOf(stage.Location), stage.BaseName))
		}
	}
	user := ""
	for _, command := range stages[len(stages)-1].Commands {
		if set, is := command.(*instructions.UserCommand); is {
			user = set.User
		}
	}
	if user == "" || user == "root" || strings.HasPrefix(user, "0") {
		findings = append(findings, "the last stage runs as root")
	}
	return findings
}

func lineOf(at []parser.Range) int {
	if len(at) == 0 {
		return 0
	}
	return at[0].Start.Line
}
