import { batchOptionsOf, failureLimit } from '../../../../cli/batch/prepare-batch';

test.each([
  ['5%', { maxFailureRate: 0.05 }],
  ['100%', { maxFailureRate: 1 }],
  [' 2.5 % ', { maxFailureRate: 0.025 }],
  ['100', { maxFailures: 100 }],
])('the limit %j is %j', (text, limit) => {
  expect(failureLimit(text)).toEqual(limit);
});

test.each(['0', '0%', '101%', '1.5', '-5%', 'five', '', '5 % of all'])(
  '%j is not accepted as a limit',
  (text) => {
    expect(() => failureLimit(text)).toThrow(/It must be a (?:number of rows or a percentage|whole number)/);
  },
);

test('flags that were not given keep the default options', () => {
  expect(batchOptionsOf({ verify: true }, { options: {} })).toEqual({});
});

test('flags become options, including those for sending each upload', () => {
  const flags = {
    parallelUploads: 8,
    maxFailures: { maxFailures: 3 },
    maxSameFailures: 0,
    sourceSecret: 'cdn',
    partSize: 5_242_880,
    concurrency: 2,
    verify: false,
  };
  expect(
    batchOptionsOf(flags, { options: { maxParts: 60 }, tuning: { pageRows: 10, heartbeatMs: 4_000 } }),
  ).toEqual({
    parallelUploads: 8,
    pageRows: 10,
    maxFailures: 3,
    maxSameFailures: 0,
    sourceSecret: 'cdn',
    upload: { partBytes: 5_242_880, concurrency: 2, verifyMd5: false, maxParts: 60, heartbeatMs: 4_000 },
  });
});
