import { Context } from '@temporalio/activity';
import { ActivityCancelledError, ActivityNotFoundError } from '@temporalio/client';
import { MediaServiceError } from '../../api/errors';
import { canonicalJson } from '../../api/json';
import { completeSession } from '../../api/upload/protocol/complete-session';
import { readTwice } from '../../api/upload/protocol/session';
import { findOrphans } from '../../api/upload/protocol/ingest-key';
import { pollSession } from '../../api/upload/protocol/poll-session';
import type { EarlierRead, UploadSession } from '../../api/upload/protocol/session';
import { requireUploadHost, startSession } from '../../api/upload/protocol/start-session';
import { pinSource } from '../../files/sources/read-source';
import { releaseSource } from '../../files/sources/release-source';
import type { PinnedSource, SourceDescriptor } from '../../api/upload/sources/source';
import type {
  CompleteInput,
  OrphanSearch,
  StartedSession,
  StartInput,
  UploadSteps,
} from '../../api/upload/types';
import { stillRunning } from '../worker/in-activity';
import { accountOf, sourceAccess } from '../worker/activity-deps';
import type { ActivityDeps } from '../worker/activity-deps';
import type { ForAccount, Sealed } from './types';
import { sealedUrl } from '../sealed-url';
import { sendParts } from './send-parts';
import { countedPoll } from '../telemetry/activities';
import { runStep } from './step';

type SourceInput = ForAccount<{ readonly source: SourceDescriptor }>;
type Session = ForAccount<{ readonly uploadId: string }>;
/** `pollDelayMs`: the first pause between two tries, ms. Grows with the tries. */
type PollInput = ForAccount<Parameters<UploadSteps['pollSession']>[0] & { readonly pollDelayMs: number }>;
type Pinned = Omit<PinnedSource, 'source'> & Partial<Pick<PinnedSource, 'source'>>;

const MAX_POLL_DELAY_MS = 60_000;

/** The steps of one upload as activities. Temporal retries each, except `startSession`. */
export function uploadActivities(deps: ActivityDeps) {
  return {
    ...sourceActivities(deps),
    ...startActivities(deps),
    ...sessionActivities(deps),
    sendParts: sendParts(deps),
  };
}

function sourceActivities(deps: ActivityDeps) {
  const step = { isCall: false };
  return {
    /**
     * Pins a source to its current content. A source that must first be copied to the spool folder becomes a file of
     * this machine, so its parts go to this host's queue. Leaves out the source if it stays the same.
     */
    pinSource: ({ accountId, source }: SourceInput): Promise<Pinned> =>
      runStep(deps, { ...step, name: 'pinSource', accountId, isFirstContact: true }, async (signal) => {
        const pinned = await pinSource(sourceAccess(deps, accountId), source, signal);
        const { source: now, ...facts } = pinned;
        return canonicalJson(now) === canonicalJson(source) ? facts : pinned;
      }),

    /** Removes a file of our own. One that no longer exists counts as released. */
    releaseSource: ({ accountId, source }: SourceInput): Promise<void> =>
      runStep(deps, { ...step, name: 'releaseSource', accountId }, () =>
        releaseSource(sourceAccess(deps, accountId), source),
      ),
  };
}

function startActivities(deps: ActivityDeps) {
  return {
    /** Sends `start` exactly once. Its URLs enter the history sealed. api.md, "POST {upload_url}/upload/start". */
    startSession: ({ accountId, ...input }: ForAccount<StartInput>): Promise<StartedSession<Sealed>> => {
      const step = { name: 'startSession', accountId, isFirstContact: true, countsAnyway: true };
      return runStep(deps, step, async () => {
        const { service, sealKeys } = accountOf(deps, accountId);
        await refuseIfEnded();
        const session = await startSession(service, input, { signal: whenWorkerStops() });
        return { ...session, urls: session.urls.map((url) => sealedUrl(sealKeys, session.uploadId, url)) };
      });
    },

    /** Asks whether the upload host answers, before a `start` is repeated. */
    awaitUploadHost: ({ accountId }: ForAccount<object>): Promise<void> => {
      const step = { name: 'awaitUploadHost', accountId, isFirstContact: true };
      return runStep(deps, step, (signal) => requireUploadHost(accountOf(deps, accountId).service, signal));
    },

    /** Searches for sessions that a `start` without an answer left behind. */
    findOrphans: ({ accountId, ...search }: OrphanSearchInput): Promise<OrphanSearch> =>
      runStep(deps, { name: 'findOrphans', accountId }, (signal) =>
        findOrphans(accountOf(deps, accountId).service, search, signal),
      ),
  };
}

type OrphanSearchInput = ForAccount<{ readonly ingestKey: string; readonly known: readonly string[] }>;

function sessionActivities(deps: ActivityDeps) {
  return {
    /**
     * Completes a session. A retry is safe: it first reads whether an earlier try completed the session. api.md,
     * "POST …/complete".
     */
    completeSession: ({ accountId, ...input }: ForAccount<CompleteInput>): Promise<UploadSession> => {
      const step = { name: 'completeSession', accountId };
      return runStep(deps, step, async (signal, tries) => {
        const complete = { ...input, mayHaveBeenSent: tries > 1 };
        return withoutParts(await completeSession(accountOf(deps, accountId).service, complete, signal));
      });
    },

    /** Reads the session of an earlier run. api.md, "GET {upload_url}/upload/{uploadId}". */
    readSession: ({ accountId, uploadId }: Session): Promise<EarlierRead> =>
      runStep(deps, { name: 'readSession', accountId }, async (signal) =>
        withoutParts(await readTwice(accountOf(deps, accountId).service, uploadId, signal)),
      ),

    /**
     * Reads a session once, and returns it if it is COMPLETED or FAILED. Otherwise the try ends as BENIGN and Temporal
     * tries again later. So waiting costs neither history nor a slot. api.md, "Upload flow", step 6.
     */
    pollSession: async ({ accountId, pollDelayMs, ...input }: PollInput): Promise<UploadSession> => {
      const step = { name: 'pollSession', accountId };
      const counted = { metrics: deps.metrics, account: accountId };
      const outcome = await runStep(deps, step, async (signal) =>
        countedPoll(counted, await pollSession(accountOf(deps, accountId).service, input, signal)),
      );
      if (outcome.done) return withoutParts(outcome.session);
      const what = `The processing (${outcome.status})`;
      const delays = { firstDelayMs: pollDelayMs, maxDelayMs: MAX_POLL_DELAY_MS };
      throw stillRunning(what, Context.current().info.attempt, delays);
    },
  };
}

/** A session for the history, without its parts: the upload has its own list of them. */
function withoutParts<S extends UploadSession>(session: S): S {
  return { ...session, parts: [] };
}

/**
 * Throws if Temporal has cancelled this activity, or has given it up. The SDK would learn it only with its next
 * heartbeat. Without an answer, the activity continues.
 */
async function refuseIfEnded(): Promise<void> {
  const { client, info } = Context.current();
  try {
    await client.activity.heartbeat(info.taskToken);
  } catch (error) {
    if (error instanceof ActivityCancelledError || error instanceof ActivityNotFoundError) {
      throw new MediaServiceError('Cancelled', 'the upload was cancelled', { outcome: 'unsent' });
    }
  }
}

/**
 * Aborts when the worker stops by force, not when the upload is cancelled: a `start` that was sent can't be taken back,
 * and its session must be known.
 */
function whenWorkerStops(): AbortSignal {
  const context = Context.current();
  const { cancellationSignal } = context;
  const stops = new AbortController();
  const onAbort = (): void => {
    if (context.cancellationDetails?.workerShutdown === true) stops.abort(NO_ANSWER);
  };
  cancellationSignal.addEventListener('abort', onAbort, { once: true });
  return stops.signal;
}

/** A request was sent, and its outcome is unknown. */
const NO_ANSWER = new MediaServiceError('Transport', 'the worker was stopped before the answer came', {
  outcome: 'ambiguous',
  details: { unanswered: true },
});
