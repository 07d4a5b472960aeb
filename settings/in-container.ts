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
