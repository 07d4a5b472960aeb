import { expect, test } from '@jest/globals';
import { BATCH_OPTIONS_SCHEMA } from '../../../gateway/schemas';
import type { BatchOptions } from '../../../temporal/batch/types';

/** Every option of a batch. The compiler refuses a missing one. */
const OPTIONS: Record<keyof BatchOptions, 'offered' | 'internal'> = {
  ...{ parallelUploads: 'offered', maxFailures: 'offered', maxFailureRate: 'offered' },
  ...{ maxSameFailures: 'offered', sourceHost: 'offered', sourceFolder: 'offered' },
  ...{ sourceSecret: 'offered', uploadChanged: 'offered', skipBad: 'offered', upload: 'offered' },
  ...{ pageRows: 'internal', smallFileBytes: 'internal' },
};

test('the HTTP door takes every option of a batch that is not for tests', () => {
  const offered = Object.entries(OPTIONS).flatMap(([name, kind]) => (kind === 'offered' ? [name] : []));
  expect(Object.keys(BATCH_OPTIONS_SCHEMA['properties'] ?? {}).sort()).toEqual(offered.sort());
});
