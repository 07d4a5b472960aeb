import { engines } from '../../../package.json';
import {
  inContainer,
  isPlainTerminal,
  quietLibraries,
  requireNode,
  trustCertificateFile,
} from '../../../settings/surroundings';

test.each([
  ['Docker', {}, '/.dockerenv', true],
  ['Podman', {}, '/run/.containerenv', true],
  ['Kubernetes', { KUBERNETES_SERVICE_HOST: '10.96.0.1' }, undefined, true],
  ['a plain machine', { HOSTNAME: 'ingest-1' }, undefined, false],
])('%s is recognised by its traces', (_label, env, file, isContainer) => {
  expect(inContainer(env, (name) => name === file)).toBe(isContainer);
});

test.each<[label: string, env: Record<string, string>, plain: boolean]>([
  ['a terminal that names its type', { TERM: 'xterm-256color' }, false],
  ['a terminal that can only print', { TERM: 'dumb' }, true],
  ['a user who wants no colours', { TERM: 'xterm', NO_COLOR: '1' }, true],
  ['an empty NO_COLOR, which means nothing', { NO_COLOR: '' }, false],
])('the choice of plain lines for %s', (_label, env, plain) => {
  expect(isPlainTerminal(env)).toBe(plain);
});

test('deprecations inside libraries are not shown to users of a command', () => {
  quietLibraries();
  expect(process.noDeprecation).toBe(true);
});

test.each(['20.20.2', '22.18.0'])('Node %s is refused by what package.json promises', (version) => {
  const oldest = engines.node.replace('>=', '');
  const message = `Node.js ${version} is too old: media-service needs ${oldest} or newer.`;
  expect(() => requireNode(version)).toThrow(message);
});

test.each(['22.19.0', '22.20.1', '24.0.0', '100.0.0'])('Node %s is not refused', (version) => {
  expect(() => requireNode(version)).not.toThrow();
});

test.each([
  ['that is missing', '/nowhere/ca.pem'],
  ['without a certificate', __filename],
])('a file of certificates %s is named', (_what, file) => {
  expect(() => trustCertificateFile({ SSL_CERT_FILE: file })).toThrow(
    `SSL_CERT_FILE names ${file}, which can't be read as certificates.`,
  );
});
