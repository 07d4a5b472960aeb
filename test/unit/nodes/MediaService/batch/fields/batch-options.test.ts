import { describe, expect, it } from '@jest/globals';
import {
  BATCH_OPTIONS,
  batchOptionsOf,
} from '../../../../../../nodes/MediaService/batch/fields/batch-options';
import { DEFAULT_BATCH_OPTIONS } from '../../../../../../temporal/batch/types';

const FORM = {
  parallelUploads: 32,
  maxFailures: 7,
  maxFailurePercent: 10,
  maxSameFailures: 25,
  megabytesPerSecond: 50,
  sourceFolder: '/media/incoming',
  sourceHeaders: 'cdn',
  requesterPays: true,
  uploadChanged: true,
  smallFileMegabytes: 16,
  concurrency: 3,
  partSizeMb: 8,
  processingHours: 2,
  restartOnExpiry: true,
  verifyMd5: true,
  acceptAnyContent: true,
};

/** Options of the start, not of the batch itself. */
const ELSEWHERE = ['cancelWithExecution', 'format', 'requireWorker', 'retryFailed'];

describe('the options of a batch', () => {
  it('have the values of the form, in the units of the batch', () => {
    expect(batchOptionsOf(FORM, 100, 'ingest-1')).toEqual({
      parallelUploads: 32,
      maxFailures: 7,
      maxFailureRate: 0.1,
      maxSameFailures: 25,
      smallFileBytes: 16_000_000,
      bytesPerSecond: 50_000_000,
      sourceHost: 'ingest-1',
      sourceFolder: '/media/incoming',
      sourceSecret: 'cdn',
      requesterPays: true,
      uploadChanged: true,
      upload: {
        maxParts: 100,
        concurrency: 3,
        partBytes: 8_000_000,
        processingLimitMs: 7_200_000,
        restartOnExpiry: true,
        verifyMd5: true,
        acceptAnyContent: true,
      },
    });
  });

  it('show the defaults of a batch', () => {
    const option = BATCH_OPTIONS.options?.find(({ name }) => name === 'maxSameFailures');
    expect(option).toMatchObject({ default: DEFAULT_BATCH_OPTIONS.maxSameFailures });
  });

  it('are all offered by the form', () => {
    const offered = (BATCH_OPTIONS.options ?? []).map(({ name }) => name);
    expect(offered.sort()).toEqual([...Object.keys(FORM), ...ELSEWHERE].sort());
  });

  it("hold only what the form offers, and the account's max parts", () => {
    expect(batchOptionsOf({}, 120, undefined)).toEqual({ upload: { maxParts: 120 } });
  });

  it.each([0, -1, 101])('refuse a share of %d per cent with the label of the form', (maxFailurePercent) => {
    expect(() => batchOptionsOf({ maxFailurePercent }, 120, undefined)).toThrow(
      `"Failed Share Limit (%)" is ${maxFailurePercent}, but it must be above 0 and up to 100`,
    );
  });
});
