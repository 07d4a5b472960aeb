import { adviceOf } from '../../../api/advice';
import { CancellationScope } from '@temporalio/workflow';
import { MediaServiceError } from '../../../api/errors';
import { jsonBytes } from '../../../api/upload/request/json-size';
import { DEFAULT_UPLOAD_OPTIONS } from '../../../api/upload/request/upload-request';
import type { SourceDescriptor } from '../../../api/upload/sources/source';
import { hostOfSource, isOurs } from '../../../api/upload/sources/source-rules';
import type { StepFailure, UploadSteps } from '../../../api/upload/upload-steps';
import { controlQueue, sourceQueue } from '../../contract/upload';
import type { Sealed, UploadWorkflowInput } from '../../contract/upload';
import type { UploadGroupKind, UploadGroups } from '../../contract/upload-groups';
import type { CallRequest, Gatherer } from './gatherer';

/** Size of a sealed pre-signed URL in the answer of `start`. */
const URL_BYTES = 1_500;

/** Calls a step. `kind` is the name of its activity in `temporal/activities`. */
type Call = <Kind extends UploadGroupKind>(
  kind: Kind,
  request: Omit<CallRequest<UploadGroups[Kind]['input']>, 'owner'>,
) => Promise<UploadGroups[Kind]['value']>;

/**
 * The steps of one upload, gathered with those of other uploads. Cancelling the scope of a step abandons its call.
 */
export function gatheredSteps(
  { account, queuePrefix, options }: Pick<UploadWorkflowInput, 'account' | 'queuePrefix' | 'options'>,
  gatherer: Gatherer<UploadGroups>,
): UploadSteps<Sealed> {
  const call = callsOfScopes(gatherer);
  const { pollDelayMs } = { ...DEFAULT_UPLOAD_OPTIONS, ...options };
  const queue = controlQueue(queuePrefix, account.accountId);
  const queueOf = (source: SourceDescriptor): string =>
    sourceQueue(queuePrefix, account.accountId, hostOfSource(source));
  return {
    pinSource: async (input) => {
      const { source } = input;
      const request = { queue: queueOf(source), input, bytes: 2 * jsonBytes(input) };
      return { source, ...(await call('pinSources', request)) };
    },
    // A `start` in flight can't be abandoned. Otherwise its session would stay in the service, and nobody would know
    // its id.
    startSession: async ({ part: _part, ...input }) => {
      refuseIfCancelled();
      const bytes = jsonBytes(input) + input.amountOfParts * URL_BYTES;
      return CancellationScope.nonCancellable(() => call('startSessions', { queue, input, bytes }));
    },
    awaitUploadHost: async ({ pauseMs, failure }) => {
      const pause = { ms: pauseMs, reason: pausing(failure, pauseMs) };
      await call('awaitUploadHosts', { queue, input: null, bytes: 0, pause });
    },
    findOrphans: (input) => call('findOrphans', { queue, input, bytes: 2 * jsonBytes(input) }),
    sendPart: (input) =>
      call('sendParts', { queue: queueOf(input.source.source), input, bytes: input.bytes }),
    completeSession: (input) => call('completeSessions', { queue, input, bytes: 2 * jsonBytes(input) }),
    pollSession: (input) =>
      call('pollSessions', { queue, input: { ...input, pollDelayMs }, bytes: SESSION_BYTES }),
    readSession: (input) => call('readSessions', { queue, input, bytes: SESSION_BYTES }),
    releaseSource: async (input) => {
      const { source } = input;
      if (!isOurs(source)) return;
      await CancellationScope.nonCancellable(() =>
        call('releaseSources', { queue: queueOf(source), input, bytes: jsonBytes(input) }),
      );
    },
  };
}

const NOTHING_TO_DO =
  'You need to do nothing: start is sent again once the upload host answers, and a session that it may have made is searched for first.';

/** Why `start` waits. If nothing was sent, the address may be wrong, so the failure keeps its own advice. */
function pausing({ code, message, facts }: StepFailure, pauseMs: number): StepFailure {
  const { hint: _hint, remedy: _remedy, ...known } = facts;
  const own = facts.outcome === 'unsent' ? adviceOf(facts) : {};
  const isNothing = own.hint === undefined && own.remedy === undefined;
  const advice = isNothing ? { hint: NOTHING_TO_DO } : own;
  const seconds = Math.ceil(pauseMs / 1000);
  return { code, message: `${message}; it is tried again in ${seconds} s`, facts: { ...known, ...advice } };
}

/** Size of a session in a history. */
const SESSION_BYTES = 2_000;

function callsOfScopes(gatherer: Gatherer<UploadGroups>): Call {
  const watched = new WeakSet<CancellationScope>();
  return async (kind, request) => {
    refuseIfCancelled();
    const owner = CancellationScope.current();
    if (owner.cancellable && !watched.has(owner)) {
      watched.add(owner);
      owner.cancelRequested.catch(() => gatherer.abandon(owner));
    }
    return gatherer.call(kind, { ...request, owner });
  };
}

function refuseIfCancelled(): void {
  if (!CancellationScope.current().consideredCancelled) return;
  throw new MediaServiceError('Cancelled', 'The upload was cancelled.', { outcome: 'unsent' });
}
