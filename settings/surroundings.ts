import { existsSync } from 'node:fs';

/** Docker and Podman create one of these in each container. */
const MARKS = ['/.dockerenv', '/run/.containerenv'];

/**
 * Returns whether this process runs in a container of Docker, Podman or Kubernetes. The container's own network then
 * decides who can reach its ports.
 */
export function inContainer(
  env: Readonly<Record<string, string | undefined>> = process.env,
  exists: (file: string) => boolean = existsSync,
): boolean {
  return env['KUBERNETES_SERVICE_HOST'] !== undefined || MARKS.some((file) => exists(file));
}

/**
 * Returns whether nothing may be drawn on the terminal: it can't move its cursor (TERM=dumb), or its user wants plain
 * text (NO_COLOR).
 */
export function isPlainTerminal(env: Readonly<Record<string, string | undefined>> = process.env): boolean {
  return env['TERM'] === 'dumb' || (env['NO_COLOR'] ?? '') !== '';
}

/**
 * Keeps libraries from writing their own messages to standard error, where logs are JSON and `--json` has errors. Call
 * it before they are loaded.
 */
export function quietLibraries(): void {
  // Users of a command can't change a library that calls deprecated functions. --trace-deprecation still shows it.
  process.noDeprecation ??= !process.traceDeprecation;
}
