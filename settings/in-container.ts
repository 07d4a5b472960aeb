import { existsSync } from 'node:fs';

/** Left in each container by Docker, and by Podman. */
const MARKS = ['/.dockerenv', '/run/.containerenv'];

/** Whether this process runs in a container of Docker, Podman or Kubernetes, whose own network decides who reaches its ports. */
export function inContainer(
  env: Readonly<Record<string, string | undefined>> = process.env,
  exists: (file: string) => boolean = existsSync,
): boolean {
  return env['KUBERNETES_SERVICE_HOST'] !== undefined || MARKS.some((file) => exists(file));
}
