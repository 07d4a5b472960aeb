import { expect, test } from '@jest/globals';
import { inContainer } from '../../../settings/in-container';

test.each([
  ['Docker', {}, '/.dockerenv', true],
  ['Podman', {}, '/run/.containerenv', true],
  ['Kubernetes', { KUBERNETES_SERVICE_HOST: '10.96.0.1' }, undefined, true],
  ['a plain machine', { HOSTNAME: 'ingest-1' }, undefined, false],
])('%s is recognised by its traces', (_label, env, file, isContainer) => {
  expect(inContainer(env, (name) => name === file)).toBe(isContainer);
});
