import { expect, test } from '@jest/globals';
import { batchOptionsOf, shareOf } from '../../../../cli/batch/prepare-batch';

test.each([
  ['5%', 0.05],
  ['0.05', 0.05],
  ['100%', 1],
  ['1', 1],
  [' 2.5 % ', 0.025],
])('the share %j is %d', (text, share) => {
  expect(shareOf(text)).toBeCloseTo(share, 10);
});

test.each(['0', '0%', '101%', '1.1', '-5%', 'five', '', '5 % of all'])(
  '%j is not accepted as a share',
  (text) => {
    expect(() => shareOf(text)).toThrow('for example 5% or 0.05');
  },
);

test('flags that were not given keep the default options', () => {
  expect(batchOptionsOf({ verify: true, check: true }, { options: {} })).toEqual({});
});

test('flags become options, including those for sending each upload', () => {
  const flags = {
    parallelUploads: 8,
    maxFailures: 3,
    maxFailureRate: 0.05,
    maxSameFailures: 0,
    bandwidth: 1_000_000,
    sourceSecret: 'cdn',
    requesterPays: true,
    partSize: 5_242_880,
    concurrency: 2,
    verify: false,
    check: true,
  };
  expect(
    batchOptionsOf(flags, { options: { maxParts: 60 }, tuning: { pageRows: 10, heartbeatMs: 4_000 } }),
  ).toEqual({
    parallelUploads: 8,
    pageRows: 10,
    maxFailures: 3,
    maxFailureRate: 0.05,
    maxSameFailures: 0,
    bytesPerSecond: 1_000_000,
    sourceSecret: 'cdn',
    requesterPays: true,
    upload: { partBytes: 5_242_880, concurrency: 2, verifyMd5: false, maxParts: 60, heartbeatMs: 4_000 },
  });
});
