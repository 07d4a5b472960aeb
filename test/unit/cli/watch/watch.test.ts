import { once } from 'node:events';
import { MediaServiceError } from '../../../../api/errors';
import type { UploadResult } from '../../../../api/upload/types';
import { batchReading } from '../../../../cli/commands/batches/wait';
import { uploadReading } from '../../../../cli/commands/uploads/wait';
import type { ProgressView, Reading } from '../../../../cli/watch/progress-view';
import { watch } from '../../../../cli/watch/watch';
import type { Watched } from '../../../../cli/watch/watch';
import type { LiveProgress } from '../../../../temporal/upload/client/open-upload';
import { BEGUN as PROGRESS, COMPLETED as RESULT, liveBatch } from '../live-fixture';

type Look = LiveProgress | MediaServiceError;

/** An upload with the given checks. After the last one it succeeds, or fails with the given error. */
function upload(looks: readonly Look[], failure?: MediaServiceError): Watched<UploadResult> {
  const left = [...looks];
  const ended = new AbortController();
  return {
    ...{ id: 'upload/clip.mp4', name: 'clip.mp4', joined: false },
    look() {
      const look = left.shift() ?? PROGRESS;
      if (left.length === 0) ended.abort();
      return look instanceof MediaServiceError ? Promise.reject(look) : Promise.resolve(uploadReading(look));
    },
    async result(signal) {
      const watched = AbortSignal.any([ended.signal, signal]);
      if (!watched.aborted) await once(watched, 'abort');
      signal.throwIfAborted();
      if (failure !== undefined) throw failure;
      return RESULT;
    },
  };
}

const clock = { now: () => 0, sleep: () => new Promise<void>((done) => setImmediate(done)) };
const SILENT: ProgressView = {
  show: () => undefined,
  say: () => undefined,
  end: () => undefined,
  close: () => undefined,
};

async function watched(upload: Watched<UploadResult>, signal = new AbortController().signal) {
  const said: string[] = [];
  const view: ProgressView = { ...SILENT, say: (text) => said.push(text) };
  const end = await watch(upload, { view, clock, signal }).catch((error: unknown) => {
    if (error instanceof MediaServiceError) return error;
    throw error;
  });
  return { said, end };
}

const NO_WORKER = new MediaServiceError('NoWorker', 'No worker serves the task queue q.', {
  hint: 'Run one.',
});

describe('watching an upload', () => {
  test('ends with its error', async () => {
    const failure = new MediaServiceError('ProcessingFailed', 'codec not supported');
    expect((await watched(upload([PROGRESS], failure))).end).toBe(failure);
  });

  const retried = (message: string, hint: string): LiveProgress => ({
    ...PROGRESS,
    waitReason: { code: 'Transport', message, hint },
  });
  const LOST = new MediaServiceError('TemporalUnreachable', 'Temporal is away.');
  const held = retried('S3 is away.', 'Look at S3.');
  const reason = 'no.invalid: the name does not resolve (ENOTFOUND)';
  const start = retried(`upload start: ${reason}; it is tried again in 1 s`, 'Check it.');
  const host = retried(`upload host: ${reason}`, 'Check it.');
  const busy = retried('upload host failed (502)', 'Check it.');
  const other = new MediaServiceError('Cancelled', 'Another reason.');
  const NOBODY = 'Waiting: No worker serves the task queue q. What to do: Run one.';

  test.each<[what: string, looks: readonly Look[], said: readonly string[]]>([
    ['nothing if nobody works on it for one look', [PROGRESS, NO_WORKER, PROGRESS], []],
    [
      'once that nobody works on it, and again only after somebody did',
      [NO_WORKER, NO_WORKER, NO_WORKER, PROGRESS, NO_WORKER, NO_WORKER, PROGRESS],
      [NOBODY, NOBODY],
    ],
    ['once that Temporal does not answer', [LOST, LOST, LOST, PROGRESS], ['Temporal is away. Still trying.']],
    ['nothing of another failed look, which is left to the result', [other, other], []],
    ['nothing if one look finds that it waits', [held, PROGRESS], []],
    [
      'once why it waits and what to do',
      [held, held, held],
      ['Retrying for up to 24 h: S3 is away. What to do: Look at S3.'],
    ],
    [
      'once why a start waits, even if another step asks its host',
      [start, start, host, host, busy, busy],
      [
        `Retrying for up to 24 h: upload start: ${reason}; it is tried again in 1 s. What to do: Check it.`,
        'Retrying for up to 24 h: upload host failed (502). What to do: Check it.',
      ],
    ],
  ])('says %s', async (_what, looks, said) => {
    expect(await watched(upload(looks))).toEqual({
      said: said.map((text) => `clip.mp4: ${text}`),
      end: RESULT,
    });
  });

  test('says once why a batch has paused itself', async () => {
    const { look, ...clip } = upload([PROGRESS, PROGRESS, PROGRESS]);
    const paused = liveBatch({}, { phase: 'paused', pausedBecause: '5 rows have failed.' });
    const readBatch = (): Promise<Reading> => look().then(() => batchReading(paused));
    expect((await watched({ ...clip, look: readBatch })).said).toEqual(['clip.mp4: 5 rows have failed.']);
  });

  test('shows nothing more after its end, even if a check was running', async () => {
    const show = jest.fn();
    const late = upload([PROGRESS]);
    const looked = new AbortController();
    const held: Watched<UploadResult> = {
      ...late,
      async look() {
        const reading = await late.look();
        if (!looked.signal.aborted) await once(looked.signal, 'abort');
        return reading;
      },
    };
    await watch(held, { view: { ...SILENT, show }, clock, signal: new AbortController().signal });
    looked.abort();
    await new Promise((done) => setImmediate(done));
    expect(show).not.toHaveBeenCalled();
  });

  test("stops with the signal's reason, and no upload counts as ended", async () => {
    const interrupt = new AbortController();
    const reason = new Error('Interrupted.');
    interrupt.abort(reason);
    await expect(watched(upload([PROGRESS, PROGRESS]), interrupt.signal)).rejects.toBe(reason);
  });
});
