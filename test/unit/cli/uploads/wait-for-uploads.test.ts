import { describe, expect, test } from '@jest/globals';
import { Writable } from 'node:stream';
import { MediaServiceError } from '../../../../api/errors';
import type { UploadResult } from '../../../../api/upload/request/upload-request';
import { ReportedFailure } from '../../../../cli/exit-codes';
import { Interrupts } from '../../../../cli/interrupts';
import { Terminal } from '../../../../cli/output/terminal';
import { waitForUploads } from '../../../../cli/uploads/wait-for-uploads';
import type { WatchedUpload } from '../../../../cli/uploads/watch-uploads';

const RESULT: UploadResult = {
  uploadId: 'u-1',
  mediaId: 'm-1',
  status: 'COMPLETED',
  fileName: 'clip.mp4',
  fileType: 'MP4',
  bytes: 2_000_000,
  parts: [{ partNumber: 1, eTag: 'e', verified: true, bytes: 2_000_000, attempts: 1, ms: 5 }],
  durations: { pinMs: 0, startMs: 0, transferMs: 0, completeMs: 0, processingMs: 0, totalMs: 3_000 },
  retries: 0,
  orphans: [{ uploadId: 'u-0', reason: 'its start lost its answer' }],
  orphansVerifiable: true,
};

function ended(file: string, end: UploadResult | MediaServiceError): WatchedUpload {
  return {
    file,
    handle: {
      workflowId: `upload/${file}`,
      joined: false,
      progress: () =>
        Promise.resolve({
          phase: 'processing',
          paused: false,
          bytesDone: 0,
          bytesInFlight: 0,
          partsDone: 0,
          partsRunning: [],
          retries: 0,
        }),
      result: () => (end instanceof MediaServiceError ? Promise.reject(end) : Promise.resolve(end)),
      pause: () => Promise.resolve(),
      resume: () => Promise.resolve(),
      cancel: () => Promise.resolve(),
    },
  };
}

interface Waited {
  readonly stdout: string;
  readonly stderr: string;
  readonly failure?: unknown;
}

async function wait(
  uploads: readonly WatchedUpload[],
  { json = false, tty = { stdout: false, stderr: false } } = {},
): Promise<Waited> {
  const written = { stdout: '', stderr: '' };
  const stream = (name: 'stdout' | 'stderr'): Writable & { isTTY?: boolean } => {
    const into = new Writable({
      write(chunk, _encoding, done) {
        written[name] += String(chunk);
        done();
      },
    });
    return Object.assign(into, { isTTY: tty[name] });
  };
  const terminal = new Terminal({ stdout: stream('stdout'), stderr: stream('stderr') });
  const interrupts = new Interrupts(() => undefined);
  const context = {
    terminal,
    interrupts,
    cwd: '/',
    clock: { now: () => 0, sleep: () => new Promise<void>((done) => setImmediate(done)) },
  };
  try {
    await waitForUploads(context, uploads, { json, debug: false });
    return written;
  } catch (failure) {
    return { ...written, failure };
  }
}

const LINE = 'clip.mp4: COMPLETED, 2.0 MB in 3 s, 1 of 1 parts verified, media id m-1\n';

describe('the end of an upload', () => {
  test('is data: a success goes to stdout, and what it left behind to stderr', async () => {
    const { stdout, stderr, failure } = await wait([ended('clip.mp4', RESULT)]);
    expect([stdout, failure]).toEqual([LINE, undefined]);
    expect(stderr).not.toContain('COMPLETED');
    expect(stderr).toContain('clip.mp4: left behind u-0: its start lost its answer\n');
  });

  test('also goes to stdout if bars are drawn on stderr', async () => {
    const { stdout, stderr } = await wait([ended('clip.mp4', RESULT)], {
      tty: { stdout: false, stderr: true },
    });
    expect(stdout).toBe(LINE);
    expect(stderr).not.toContain('COMPLETED');
  });

  test('goes above the bars if both streams are one terminal', async () => {
    const { stdout, stderr } = await wait([ended('clip.mp4', RESULT)], {
      tty: { stdout: true, stderr: true },
    });
    expect(stdout).toBe('');
    expect(stderr).toContain(LINE.trimEnd());
  });

  test('goes to stderr if the upload failed, and its exit code is thrown', async () => {
    const failed = new MediaServiceError('ProcessingFailed', 'codec not supported');
    const { stdout, stderr, failure } = await wait([ended('clip.mp4', failed)]);
    expect(stdout).toBe('');
    expect(stderr).toContain('Error (clip.mp4): codec not supported');
    expect(failure).toEqual(new ReportedFailure(10));
  });

  test.each([
    ['Cancelled', 'cancelled'],
    ['ProcessingFailed', 'failed'],
  ] as const)('by %s is `%s` behind its bar', async (code, word) => {
    const end = new MediaServiceError(code, 'it ended');
    const { stderr } = await wait([ended('clip.mp4', end)], { tty: { stdout: true, stderr: true } });
    expect(stderr.trimEnd().split('\n').at(-1)).toMatch(new RegExp(`% {2}${word}$`));
  });

  test('is one line on stdout with --json', async () => {
    const { stdout } = await wait([ended('clip.mp4', RESULT)], { json: true });
    expect(JSON.parse(stdout)).toEqual({
      file: 'clip.mp4',
      workflowId: 'upload/clip.mp4',
      joined: false,
      ...RESULT,
    });
  });
});
