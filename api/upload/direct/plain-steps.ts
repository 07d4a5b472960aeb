import type { Clock } from '../../clock';
import { MediaServiceError } from '../../errors';
import { given } from '../../json';
import type { Service } from '../../service/service';
import type { PartRequestResult } from '../parts/part-request';
import type { SendPartHooks } from '../parts/send-part';
import type { PartScope } from '../run-upload';
import { completeSession, readTwice } from '../session/complete-session';
import { findOrphans } from '../session/orphans';
import { requireUploadHost } from '../session/start-session';
import type { SourceDescriptor, UploadSources } from '../sources/source';
import { isOurs } from '../sources/source-rules';
import type { PartInput, UploadSteps } from '../upload-steps';

/** How a process drives the steps of an upload by itself: n8n, the TypeScript client, and a row of a batch. */
export interface PlainDriver {
  readonly signal?: AbortSignal | undefined;
  /** Retries a step while it fails temporarily. `tries` counts from 1. */
  retried<T>(step: TriedStep, run: (tries: number) => Promise<T>): Promise<T>;
  /** A `start` failed and waits for its next try. */
  onWait(reason: MediaServiceError): void;
  /** Tries once to send a part. */
  sendOnce(part: PartInput<string>, hooks: SendPartHooks): Promise<PartRequestResult>;
}

export interface TriedStep {
  readonly name: Exclude<keyof UploadSteps, 'sendParts'>;
  readonly uploadId?: string;
  readonly partNumber?: number;
  /** Ends this step. Default: the driver's. */
  readonly signal?: AbortSignal;
}

/** The steps, and the scope that ends their parts together: pass it to `UploadControl.openPartScope`. */
export interface DirectSteps extends UploadSteps<string> {
  readonly openPartScope: () => PartScope;
}

type PlainSteps = Omit<DirectSteps, 'startSession' | 'pollSession' | 'sendParts'>;

/** The steps that every driver takes in the same way. A part keeps the fresh URL of an earlier try. */
export function plainSteps(
  service: Service,
  sources: Pick<UploadSources, 'pin' | 'release'>,
  driver: PlainDriver,
): PlainSteps {
  const { signal } = driver;
  const { clock } = service;
  let scope = new AbortController();
  return {
    pinSource: ({ source }) => driver.retried({ name: 'pinSource' }, () => sources.pin(source, signal)),
    async awaitUploadHost({ pauseMs, failure: { code, message, facts } }) {
      driver.onWait(new MediaServiceError(code, message, facts));
      await clock.sleep(pauseMs, signal);
      await driver.retried({ name: 'awaitUploadHost' }, () => requireUploadHost(service, signal));
    },
    findOrphans: (input) =>
      driver.retried({ name: 'findOrphans' }, () => findOrphans(service, input, signal)),
    completeSession: (input) =>
      driver.retried({ name: 'completeSession', uploadId: input.uploadId }, (tries) =>
        completeSession(service, { ...input, mayHaveBeenSent: tries > 1 }, signal),
      ),
    readSession: ({ uploadId }) =>
      driver.retried({ name: 'readSession', uploadId }, () => readTwice(service, uploadId, signal)),
    releaseSource: ({ source }) => releaseInTime(clock, source, sources),
    async sendPart(input) {
      const { partNumber, uploadId } = input;
      const ending = AbortSignal.any([...(signal === undefined ? [] : [signal]), scope.signal]);
      let { url } = input;
      let attempts = 0;
      const hooks = { signal: ending, onFreshUrl: (fresh: typeof url) => void (url = fresh) };
      const step = { name: 'sendPart', uploadId, partNumber, signal: ending } as const;
      const sent = await driver.retried(step, (tries) => {
        attempts = tries;
        return driver.sendOnce({ ...input, ...given({ url }) }, hooks);
      });
      return { ...sent, partNumber, attempts };
    },
    openPartScope() {
      const opened = new AbortController();
      scope = opened;
      return { run: (step) => step(), cancel: () => opened.abort() };
    },
  };
}

/** A file that can't be removed must not keep an upload from ending. */
const RELEASE_MS = 30_000;

/** Releases a source, but does not wait longer than `RELEASE_MS`, as for a network share that is away. */
async function releaseInTime(
  clock: Clock,
  source: SourceDescriptor,
  sources: Pick<UploadSources, 'release'>,
): Promise<void> {
  if (!isOurs(source)) return;
  const ended = new AbortController();
  try {
    await Promise.race([sources.release(source), clock.sleep(RELEASE_MS, ended.signal)]);
  } finally {
    ended.abort();
  }
}
