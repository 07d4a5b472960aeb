package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
)

// checkCompose loads a file as `docker compose config` does, with all profiles: schema, interpolation, `extends`,
// cycles, and names of networks, volumes, secrets and services. Variables come from the .env.example next to the file.
// Files that it mounts must exist.
func checkCompose(path string) ([]string, error) {
	folder, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	project, err := loader.LoadWithContext(context.Background(), types.ConfigDetails{
		WorkingDir:  folder,
		ConfigFiles: []types.ConfigFile{{Filename: path, Content: text}},
		Environment: types.Mapping{},
	}, func(options *loader.Options) {
		options.SetProjectName("media-service", true)
		options.Profiles = []string{"*"}
	})
	if err != nil {
		return nil, err
	}
	return composeFindings(project), nil
}

func composeFindings(project *types.Project) []string {
	var findings []string
	for name, service := range project.Services {
		for dependency, how := range service.DependsOn {
			target, has := project.Services[dependency]
			if has && how.Condition == types.ServiceConditionHealthy && target.HealthCheck == nil && target.Build == nil {
				findings = append(findings, name+" waits for "+dependency+" to be healthy, which has no health check")
			}
		}
		for _, mount := range service.Volumes {
			if mount.Type == types.VolumeTypeBind {
				if _, err := os.Stat(mount.Source); err != nil {
					findings = append(findings, name+" mounts what is not there: "+mount.Source)
				}
			}
		}
	}
	return findings
}
