import { editDistance } from '../api/edit-distance';
import type { Env } from './env-reader';
import { namesOf, VARIABLES } from './variables';

/** A phrase without its period, and what to do. */
interface EnvironmentWarning {
  readonly message: string;
  readonly hint: string;
}

const PREFIX = 'MEDIA_SERVICE_';
/** Kubernetes and Docker set these for a service or container named `media-service`. */
const SET_BY_OTHERS = /^MEDIA_SERVICE_(?:SERVICE_(?:HOST|PORT)|PORT$|PORT_|NAME$|ENV_)/;
const MAX_TYPING_MISTAKES = 3;
/** Returns the variables that nothing reads, which are probably mistakes. */
export function environmentWarnings(env: Env): readonly EnvironmentWarning[] {
  const names = Object.values(VARIABLES).flatMap(namesOf);
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !names.includes(name) && !SET_BY_OTHERS.test(name))
    .sort()
    .map((name) => {
      const [nearest] = names
        .map((candidate) => ({ candidate, mistakes: editDistance(name, candidate) }))
        .filter(({ mistakes }) => mistakes <= MAX_TYPING_MISTAKES)
        .sort((a, b) => a.mistakes - b.mistakes);
      return {
        message: `${name} is set, but nothing reads it`,
        hint:
          nearest === undefined
            ? 'docs/configuration.md lists all variables.'
            : `Did you mean ${nearest.candidate}?`,
      };
    });
}
