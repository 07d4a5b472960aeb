import { MediaServiceError } from '../../../../api/errors';
import type { ErrorCode, ErrorFacts } from '../../../../api/errors';
import { runUpload } from '../../../../api/upload/engine/run-upload';
import type { UploadControl } from '../../../../api/upload/engine/run-upload';
import type { UploadSession } from '../../../../api/upload/protocol/session';
import type {
  EarlierSession,
  UploadProgress,
  UploadRequest,
  UploadResult,
  CompleteInput,
  PartResult,
  UploadSteps,
} from '../../../../api/upload/types';

export const PART_BYTES = 5 * 1024 * 1024;

export function sessionOf(status: string, more: Partial<UploadSession> = {}): UploadSession {
  return { uploadId: 'upload-1', status, parts: [], ...more };
}

export function failure(code: ErrorCode, facts: ErrorFacts = {}): MediaServiceError {
  return new MediaServiceError(code, `failed as ${code}`, facts);
}

interface RunningPart {
  succeed(): void;
  fail(error: unknown): void;
}

/** Steps whose parts end when the test says so. Everything else succeeds at once unless it is replaced. */
export class FakeSteps implements UploadSteps {
  readonly calls: string[] = [];
  readonly running: RunningPart[] = [];
  readonly completed: CompleteInput[] = [];
  maxAtOnce = 0;
  sessions = 0;
  /** Pauses before each repeated `start` and each second check, ms: the only time that passes. */
  readonly pauses: number[] = [];
  private arrived: () => void = () => undefined;

  constructor(
    private readonly bytes: number,
    private readonly replaced: Partial<UploadSteps> = {},
  ) {}

  /** Resolves once `count` parts run. */
  async untilRunning(count: number): Promise<void> {
    while (this.running.length < count) await new Promise<void>((resolve) => (this.arrived = resolve));
  }

  pinSource: UploadSteps['pinSource'] = async (input) => {
    this.calls.push('pin');
    const usual = { source: input.source, bytes: this.bytes, fingerprint: 'f', fileName: 'film.mp4' };
    return this.replaced.pinSource?.(input) ?? usual;
  };

  startSession: UploadSteps['startSession'] = async (input) => {
    this.calls.push('start');
    const number = (this.sessions += 1);
    const usual = { uploadId: `upload-${number}`, mediaId: `media-${number}`, urls: [] };
    return this.replaced.startSession?.(input) ?? usual;
  };

  awaitUploadHost: UploadSteps['awaitUploadHost'] = async (input) => {
    this.calls.push('host');
    this.pauses.push(input.pauseMs);
    await this.replaced.awaitUploadHost?.(input);
  };

  findOrphans: UploadSteps['findOrphans'] = async (input) => {
    this.calls.push('orphans');
    const usual = { orphans: [{ mediaId: `media-${this.sessions}`, reason: 'lost' }], verifiable: true };
    return this.replaced.findOrphans?.(input) ?? usual;
  };

  sendPart: UploadSteps['sendPart'] = (input) =>
    new Promise<PartResult>((resolve, reject) => {
      const end = (): unknown => this.running.splice(this.running.indexOf(part), 1);
      const { partNumber, bytes } = input;
      const part: RunningPart = {
        succeed: () => {
          end();
          resolve({ partNumber, eTag: `etag-${partNumber}`, verified: true, bytes, attempts: 2, ms: 1 });
        },
        fail: (error) => {
          end();
          reject(error);
        },
      };
      this.calls.push(`put ${partNumber}`);
      this.running.push(part);
      this.maxAtOnce = Math.max(this.maxAtOnce, this.running.length);
      this.arrived();
    });

  completeSession: UploadSteps['completeSession'] = async (input) => {
    this.calls.push('complete');
    this.completed.push(input);
    const usual = sessionOf('PENDING_COMPLETE', { uploadId: input.uploadId });
    return this.replaced.completeSession?.(input) ?? usual;
  };

  pollSession: UploadSteps['pollSession'] = async (input) => {
    this.calls.push('poll');
    const [{ uploadId }, fileUrl] = [input, 'https://files.example.com/film.mp4'];
    return this.replaced.pollSession?.(input) ?? sessionOf('COMPLETED', { uploadId, fileUrl });
  };

  readSession: UploadSteps['readSession'] = async (input) => {
    this.calls.push('read');
    return this.replaced.readSession?.(input) ?? { ...sessionOf('PARTIAL', input), givesUrls: false };
  };

  releaseSource: UploadSteps['releaseSource'] = async (input) => {
    this.calls.push('release');
    await this.replaced.releaseSource?.(input);
  };
}

export interface FakeControl extends UploadControl {
  readonly progress: UploadProgress[];
  readonly sessions: EarlierSession[];
  cancelledScopes: number;
  pause(): void;
  resume(): void;
}

/** Time passes only in `steps.pauses`. A cancelled scope fails the running parts. */
export function fakeControl(steps: FakeSteps): FakeControl {
  const [progress, sessions]: [UploadProgress[], EarlierSession[]] = [[], []];
  let isPaused = false;
  let wake = (): void => undefined;
  const control: FakeControl = {
    progress,
    sessions,
    cancelledScopes: 0,
    clock: {
      now: () => steps.pauses.reduce((sum, ms) => sum + ms, 0),
      sleep: async (ms) => void steps.pauses.push(ms),
    },
    retryForMs: 24 * 60 * 60_000,
    gate: { paused: () => isPaused, waitUntilOpen: () => new Promise((resolve) => (wake = resolve)) },
    failureOf: (error) => ({ code: 'Internal', message: String(error), facts: { outcome: 'ambiguous' } }),
    onProgress: (one) => progress.push(one),
    onSession: (one) => sessions.push(one),
    openPartScope: () => ({
      run: (step) => step(),
      cancel: () => {
        control.cancelledScopes += 1;
        for (const part of [...steps.running]) part.fail(failure('Cancelled'));
      },
    }),
    pause: () => void (isPaused = true),
    resume() {
      isPaused = false;
      wake();
    },
  };
  return control;
}

export function requestOf(options: UploadRequest['options'] = {}): UploadRequest {
  return {
    source: { kind: 'path', path: '/films/film.mp4' },
    media: { title: 'A film' },
    ingestKey: 'key',
    options: { partBytes: PART_BYTES, ...options },
  };
}

export function begin(
  steps: FakeSteps,
  options: UploadRequest['options'] = {},
  more: Partial<UploadRequest> = {},
) {
  const control = fakeControl(steps);
  return { control, upload: runUpload({ ...requestOf(options), ...more }, steps, control) };
}

/** Runs an upload whose parts succeed as soon as they begin. */
export async function runSmoothly(...[steps, ...of]: Parameters<typeof begin>): Promise<UploadResult> {
  const put = steps.sendPart;
  steps.sendPart = (input) => {
    const result = put(input);
    steps.running.at(-1)?.succeed();
    return result;
  };
  return begin(steps, ...of).upload;
}
