import { existsSync, readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { ConfigurationError } from '../api/errors';

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

/** Returns whether nothing may be drawn on the terminal: it can't move its cursor (TERM=dumb), or NO_COLOR is set. */
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
  // Temporal's client would write each failed connection. Our own errors name it.
  process.env['GRPC_VERBOSITY'] ??= 'NONE';
}

/**
 * Trusts the certificates in SSL_CERT_FILE, as other programs do; Node itself reads only NODE_EXTRA_CA_CERTS. Throws a
 * `ConfigurationError` if they can't be read.
 */
export function trustCertificateFile(env: Readonly<Record<string, string | undefined>>): void {
  const file = env['SSL_CERT_FILE'] ?? '';
  if (file === '' || file === env['NODE_EXTRA_CA_CERTS']) return;
  try {
    const all = readFileSync(file, 'utf8').match(
      /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g,
    );
    if (all === null) throw new Error('It holds no certificate.');
    setDefaultCACertificates([...getCACertificates('default'), ...all]);
  } catch {
    throw new ConfigurationError(
      'SSL_CERT_FILE',
      `SSL_CERT_FILE names ${file}, which can't be read as certificates.`,
      'Put PEM certificates of the issuers into it, or unset it.',
    );
  }
}

/** The oldest Node that runs the command and the worker: major and minor version, as in package.json. */
const OLDEST_NODE = [22, 19] as const;

/** Throws `ConfigurationError` if this Node is too old. npm then leaves libraries out, and installs the rest. */
export function requireNode(version = process.versions.node): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  const oldest = OLDEST_NODE.join('.');
  throw new ConfigurationError(
    'node',
    `Node.js ${version} is too old: media-service needs ${oldest} or newer.`,
    `Install Node.js ${oldest} or newer from https://nodejs.org, then install the package again.`,
  );
}
