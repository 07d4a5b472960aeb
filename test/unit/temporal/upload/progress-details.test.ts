import { describe, expect, it } from '@jest/globals';
import { progressDetails } from '../../../../temporal/upload/workflow';

const progress = {
  phase: 'uploading',
  paused: false,
  bytesDone: 0,
  partsDone: 0,
  partsRunning: [],
  retries: 0,
} as const;

describe('progressDetails', () => {
  it('shows what is known and nothing else', () => {
    expect(progressDetails(progress)).toBe('**uploading**');
  });

  it('shows bytes, parts, retries and session of a running upload', () => {
    const details = progressDetails({
      ...progress,
      paused: true,
      fileName: 'film.mp4',
      bytesTotal: 20_000_000,
      bytesDone: 5_000_000,
      partsTotal: 4,
      partsDone: 1,
      partsRunning: [2, 3],
      retries: 2,
      uploadId: 'u-1',
    });
    expect(details.split('\n\n')).toEqual([
      '**uploading** (paused) film.mp4',
      '5.0 of 20.0 MB (25 %), 1 of 4 parts',
      'Running: part 2, 3',
      'Retries: 2',
      'Upload session: u-1',
    ]);
  });

  it('says what a step waits for, until the end', () => {
    const waitReason = { code: 'Transport', message: 'the host does not answer', facts: {} } as const;
    const waiting = { ...progress, waitReason };
    expect(progressDetails(waiting)).toBe('**uploading**\n\nWaiting: the host does not answer');
    expect(progressDetails(waiting, 'It failed.')).toBe('**uploading**\n\nIt failed.');
  });

  it('ends with the result of the upload', () => {
    expect(progressDetails(progress, 'The session stays.')).toBe('**uploading**\n\nThe session stays.');
  });
});
