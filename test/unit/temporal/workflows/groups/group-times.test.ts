import { describe, expect, it } from '@jest/globals';
import { MAX_RETRY_AFTER_MS } from '../../../../../api/retry/retry-after';
import type { UploadGroupKind } from '../../../../../temporal/contract/upload-groups';
import { DAY_MS } from '../../../../../api/durations';
import { timesOf } from '../../../../../temporal/workflows/groups/group-times';

const KINDS = [
  ...['pinSources', 'startSessions', 'awaitUploadHosts', 'findOrphans', 'sendParts'],
  ...['completeSessions', 'pollSessions', 'readSessions', 'releaseSources'],
] as UploadGroupKind[];
const part = { bytes: 1, minimumThroughput: 1_000, source: { bytes: 2 } };

describe('the time of a group', () => {
  it.each(KINDS)('is longer than the longest Retry-After that a call in it may wait for: %s', (kind) => {
    const inputs = kind === 'sendParts' ? [{ input: part }] : [{ input: {} }];
    const times = timesOf(kind, { inputs, scheduleToCloseTimeout: DAY_MS });
    expect(times.startToCloseTimeout).toBeGreaterThan(MAX_RETRY_AFTER_MS + 60_000);
  });

  it.each(KINDS.filter((kind) => kind !== 'startSessions'))(
    'is not spent on repeating a result that is too large: %s',
    (kind) => {
      const inputs = [{ input: part }];
      const { retry } = timesOf(kind, { inputs, scheduleToCloseTimeout: DAY_MS });
      expect(retry?.nonRetryableErrorTypes).toContain('PayloadsTooLarge');
    },
  );

  it('of a start allows one try', () => {
    const times = timesOf('startSessions', { inputs: [], scheduleToCloseTimeout: DAY_MS });
    expect(times.retry).toEqual({ maximumAttempts: 1 });
  });
});
