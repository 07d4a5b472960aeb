import { describe, expect, it } from '@jest/globals';
import type { EarlierSession } from '../../../../../api/upload/types';
import { runUpload } from '../../../../../api/upload/engine/run-upload';
import { READ_SESSION } from '../../../../../api/upload/protocol/session';
import type { UploadSession } from '../../../../../api/upload/protocol/session';
import { failureOf } from '../failure-of';
import { failure, fakeControl, FakeSteps, PART_BYTES, requestOf, sessionOf } from '../fake-steps';

const EARLIER: EarlierSession = {
  uploadId: 'upload-0',
  mediaId: 'media-0',
  fileName: 'film.mp4',
  fileType: 'MP4',
  bytes: PART_BYTES,
  identity: 's3;bytes=5242880;etag="a"',
};

const UNKNOWN = failure('RequestRefused', { operation: READ_SESSION, status: 404 });

/** Reads of the earlier session return these answers in order. The last one repeats. */
function stepsReading(reads: readonly (UploadSession | Error)[], more: Partial<FakeSteps> = {}): FakeSteps {
  const left = [...reads];
  return new FakeSteps(PART_BYTES, {
    readSession: async () => {
      const read = left.length > 1 ? left.shift() : left[0];
      if (read instanceof Error) throw read;
      return { ...(read ?? sessionOf('COMPLETED')), givesUrls: true };
    },
    pinSource: async ({ source }) => ({
      source: { kind: 's3', bucket: 'films', key: 'film.mp4' },
      bytes: PART_BYTES,
      fingerprint: 's3;bytes=5242880;etag="a"',
      fileName: source.kind === 'path' ? 'film.mp4' : '',
    }),
    ...more,
  });
}

async function run(
  steps: FakeSteps,
  earlier = EARLIER,
  partBytes = PART_BYTES,
): Promise<Awaited<ReturnType<typeof runUpload>>> {
  const put = steps.sendPart;
  steps.sendPart = (input) => {
    const result = put(input);
    steps.running.at(-1)?.succeed();
    return result;
  };
  return runUpload({ ...requestOf({ partBytes }), earlier }, steps, fakeControl(steps));
}

describe('an upload whose earlier run left a session', () => {
  it('returns the result of a completed session and sends nothing', async () => {
    const steps = stepsReading([sessionOf('COMPLETED', { fileUrl: 'https://files.example.com/film.mp4' })]);
    expect(await run(steps)).toMatchObject({
      uploadId: 'upload-0',
      mediaId: 'media-0',
      status: 'COMPLETED',
      fileUrl: 'https://files.example.com/film.mp4',
      fileName: 'film.mp4',
      bytes: PART_BYTES,
      earlier: true,
      orphans: [],
    });
    expect(steps.calls).toEqual(['pin', 'read', 'release']);
  });

  it('says that a start without an answer was not searched for, if it needs no other', async () => {
    const steps = stepsReading([sessionOf('COMPLETED')]);
    const request = { ...requestOf(), earlier: EARLIER, startPending: true } as const;
    expect((await runUpload(request, steps, fakeControl(steps))).orphansVerifiable).toBe(false);
  });

  it('waits for the end of a session that the service is still processing', async () => {
    const steps = stepsReading([sessionOf('PENDING_COMPLETE')]);
    expect(await run(steps)).toMatchObject({ uploadId: 'upload-0', earlier: true });
    expect(steps.calls).toEqual(['pin', 'read', 'poll', 'release']);
  });

  it.each([
    ['that two reads show open', sessionOf('PARTIAL'), 'an earlier run of this upload left it'],
    ['that ended FAILED', sessionOf('FAILED', { failureReason: 'no video' }), 'it ended FAILED: no video'],
    ['that nobody knows', UNKNOWN, 'the service no longer knew it'],
  ])('uploads the file and names as an orphan a session %s', async (_what, read, reason) => {
    const steps = stepsReading([read]);
    expect(await run(steps)).toMatchObject({
      uploadId: 'upload-1',
      orphans: [{ uploadId: 'upload-0', mediaId: 'media-0', reason }],
    });
    expect(steps.completed).toHaveLength(1);
  });

  it.each([
    [1, 2 * PART_BYTES],
    [2, PART_BYTES],
  ])(
    'after a FAILED session of three parts sends %i, as its own part size asks',
    async (count, partBytes) => {
      const failed = sessionOf('FAILED', {
        parts: [1, 2, 3].map((partNumber) => ({ partNumber, eTag: `e${partNumber}` })),
      });
      const amounts: number[] = [];
      const steps = stepsReading([failed], {
        pinSource: async ({ source }) => ({
          ...{ source, bytes: 2 * PART_BYTES, fingerprint: 'f', fileName: 'film.mp4' },
        }),
        startSession: async ({ amountOfParts }) => {
          amounts.push(amountOfParts);
          return { uploadId: 'upload-1', mediaId: 'media-1', urls: [] };
        },
      });
      const { identity: _identity, ...same } = EARLIER;
      await run(steps, { ...same, bytes: 2 * PART_BYTES }, partBytes);
      expect([amounts, steps.completed[0]?.parts.length]).toEqual([[count], count]);
    },
  );

  it('uploads the file if the session ends FAILED during the wait', async () => {
    const ended = [sessionOf('FAILED', { failureReason: 'no video' }), sessionOf('COMPLETED')];
    const steps = stepsReading([sessionOf('PENDING_COMPLETE')], {
      pollSession: async () => ended.shift() ?? sessionOf('COMPLETED'),
    });
    const result = await run(steps);
    expect(result.orphans.map(({ reason }) => reason)).toEqual(['it ended FAILED: no video']);
    expect(result.earlier).toBeUndefined();
  });

  it.each<[string, string, Parameters<typeof failure>[1]]>([
    ['refuses to say how it ended', 'RequestRefused', { status: 403, outcome: 'refused' }],
    ['answers what nobody can read', 'UnreadableAnswer', { status: 200, outcome: 'refused' }],
  ])('starts no other session while the service processes one, and %s', async (_what, code, facts) => {
    const steps = stepsReading([sessionOf('PENDING_COMPLETE')], {
      pollSession: async () => {
        throw failure(code as Parameters<typeof failure>[0], { operation: READ_SESSION, ...facts });
      },
    });
    const error = await failureOf(run(steps));
    expect([error.code, error.facts.details?.['uploadId']]).toEqual([code, 'upload-0']);
    expect(steps.sessions).toBe(0);
  });

  it('uploads other content without reading the session', async () => {
    const steps = stepsReading([sessionOf('COMPLETED')]);
    const result = await run(steps, { ...EARLIER, identity: 's3;bytes=5242880;etag="b"' });
    expect([result.uploadId, result.orphans]).toEqual(['upload-1', []]);
    expect(steps.calls).not.toContain('read');
  });

  it('returns the result of a completed session even if the file is gone', async () => {
    const gone = failure('SourceMissing', { outcome: 'unsent' });
    const steps = stepsReading([sessionOf('COMPLETED')], {
      pinSource: async () => {
        throw gone;
      },
    });
    expect(await run(steps)).toMatchObject({ uploadId: 'upload-0', fileName: 'film.mp4', earlier: true });
  });

  it('fails for a missing file if the session was never completed, and names the session', async () => {
    const gone = failure('SourceMissing', { outcome: 'unsent' });
    const steps = stepsReading([sessionOf('PARTIAL')], {
      pinSource: async () => {
        throw gone;
      },
    });
    const error = await failureOf(run(steps));
    expect(error.code).toBe('SourceMissing');
    expect(error.facts.details?.['orphans']).toContain('upload-0');
  });

  it('sends nothing if the status does not show whether complete arrived', async () => {
    const steps = stepsReading([sessionOf('RESTING')]);
    const error = await failureOf(run(steps));
    expect([error.code, error.facts.details?.['uploadId']]).toEqual(['CompleteAmbiguous', 'upload-0']);
    expect(steps.calls).not.toContain('start');
  });
});
