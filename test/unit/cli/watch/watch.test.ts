import { once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { MediaServiceError } from '../../../../api/errors';
import type { UploadResult } from '../../../../api/upload/types';
import { uploadReading } from '../../../../cli/commands/uploads/wait';
import type { ProgressView } from '../../../../cli/watch/progress-view';
import { watch } from '../../../../cli/watch/watch';
import type { Watched } from '../../../../cli/watch/watch';
import type { LiveProgress } from '../../../../temporal/upload/client/open-upload';
import { BEGUN as PROGRESS, COMPLETED as RESULT } from '../live-fixture';

type Look = LiveProgress | MediaServiceError;

/** An upload with the given checks. After the last one it succeeds, or fails with the given error. */
function upload(
  file: string,
  looks: readonly Look[],
  failure?: MediaServiceError,
  outcome = RESULT,
): Watched<UploadResult> {
  const left = [...looks];
  const ended = new AbortController();
  return {
    ...{ id: `upload/${file}`, name: file, joined: false },
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
      return outcome;
    },
  };
}

interface Seen {
  readonly said: string[];
  readonly end: UploadResult | MediaServiceError;
}

const clock = { now: () => 0, sleep: () => new Promise<void>((done) => setImmediate(done)) };
const SILENT: ProgressView = {
  show: () => undefined,
  say: () => undefined,
  end: () => undefined,
  close: () => undefined,
};

async function watched(upload: Watched<UploadResult>, signal = new AbortController().signal): Promise<Seen> {
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
  test('ends with its result, or its error', async () => {
    const failure = new MediaServiceError('ProcessingFailed', 'codec not supported');
    expect((await watched(upload('bad.mp4', [PROGRESS], failure))).end).toBe(failure);
    expect((await watched(upload('good.mp4', [PROGRESS, PROGRESS]))).end).toBe(RESULT);
  });

  test('says once that nobody works on an upload, and again only after somebody did', async () => {
    const twice = [NO_WORKER, NO_WORKER, NO_WORKER, PROGRESS];
    const { said } = await watched(upload('clip.mp4', [...twice, ...twice]));
    const line = 'clip.mp4: Waiting: No worker serves the task queue q. What to do: Run one.';
    expect(said).toEqual([line, line]);
  });

  test('says once why an upload waits and what to do, if two polls in a row found it', async () => {
    const waitReason = { code: 'Transport', message: 'S3 is away.', hint: 'Look at S3.' } as const;
    const held = { ...PROGRESS, waitReason };
    expect((await watched(upload('short.mp4', [held, PROGRESS]))).said).toEqual([]);
    expect((await watched(upload('clip.mp4', [held, held, held]))).said).toEqual([
      'clip.mp4: Retrying for up to 24 h: S3 is away. What to do: Look at S3.',
    ]);
  });

  test('says once why a start waits, even if another step asks its host', async () => {
    const [hint, reason] = ['Check the address.', 'no.invalid: the name does not resolve (ENOTFOUND)'];
    const at = (message: string): LiveProgress => ({
      ...PROGRESS,
      waitReason: { code: 'Transport', message, hint },
    });
    const start = at(`upload start: ${reason}; it is tried again in 1 s`);
    const host = at(`upload host: ${reason}`);
    const busy = at('upload host failed (502)');
    const { said } = await watched(upload('clip.mp4', [start, start, host, host, busy, busy]));
    expect(said).toEqual([
      `clip.mp4: Retrying for up to 24 h: upload start: ${reason}; it is tried again in 1 s. What to do: ${hint}`,
      `clip.mp4: Retrying for up to 24 h: upload host failed (502). What to do: ${hint}`,
    ]);
  });

  test('checks again before it says that nobody works on an upload', async () => {
    const { said } = await watched(upload('clip.mp4', [PROGRESS, NO_WORKER, PROGRESS]));
    expect(said).toEqual([]);
  });

  test('leaves to the result what does not stop the upload', async () => {
    const unknown = new MediaServiceError('RequestRefused', 'Temporal knows no such upload.');
    const { said, end } = await watched(upload('clip.mp4', [unknown], unknown));
    expect(said).toEqual([]);
    expect(end).toBe(unknown);
  });

  test('shows nothing more after its end, even if a check was running', async () => {
    const shown: string[] = [];
    const late = upload('clip.mp4', [PROGRESS]);
    const looked = new AbortController();
    const held: Watched<UploadResult> = {
      ...late,
      async look() {
        const reading = await late.look();
        if (!looked.signal.aborted) await once(looked.signal, 'abort');
        return reading;
      },
    };
    const view: ProgressView = { ...SILENT, show: (id) => void shown.push(`${id} shown`) };
    await watch(held, { view, clock, signal: new AbortController().signal });
    looked.abort();
    await new Promise((done) => setImmediate(done));
    expect(shown).toEqual([]);
  });

  test("stops with the signal's reason, and no upload counts as ended", async () => {
    const interrupt = new AbortController();
    const reason = new Error('Interrupted.');
    interrupt.abort(reason);
    await expect(watched(upload('clip.mp4', [PROGRESS, PROGRESS]), interrupt.signal)).rejects.toBe(reason);
  });
});
