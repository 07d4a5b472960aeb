import { CancellationScope } from '@temporalio/workflow';
import { MediaServiceError } from '../../../api/errors';
import { jsonBytes } from '../../../api/upload/request/json-size';
import { DEFAULT_UPLOAD_OPTIONS } from '../../../api/upload/request/upload-request';
import type { SourceDescriptor } from '../../../api/upload/sources/source';
import type { StepFailure, UploadSteps } from '../../../api/upload/upload-steps';
import { controlQueue, sourceQueue } from '../../contract';
import type { Sealed, UploadWorkflowInput } from '../../contract';
import type { UploadGroupKind, UploadGroups } from '../../contract/upload-groups';
import type { CallRequest, Gatherer } from './gatherer';

/** A sealed pre-signed URL, as it stands in the answer of `start`. */
const URL_BYTES = 1_500;

type Call = <Kind extends UploadGroupKind>(
  kind: Kind,
  request: Omit<CallRequest<UploadGroups[Kind]['input']>, 'owner'>,
) => Promise<UploadGroups[Kind]['value']>;

/** The steps of one upload, gathered with those of others. Whatever scope a step is called in, cancelling it abandons the call. */
export function gatheredSteps(
  { account, queuePrefix, options }: Pick<UploadWorkflowInput, 'account' | 'queuePrefix' | 'options'>,
  gatherer: Gatherer<UploadGroups>,
): UploadSteps<Sealed> {
  const call = callsOfScopes(gatherer);
  const { pollDelayMs } = { ...DEFAULT_UPLOAD_OPTIONS, ...options };
  const queue = controlQueue(queuePrefix, account.accountId);
  const queueOf = (source: SourceDescriptor): string => sourceQueue(queuePrefix, account.accountId, source);
  return {
    pinSource: (input) =>
      call('pinSources', { queue: queueOf(input.source), input, bytes: 2 * jsonBytes(input) }),
    // A session whose id is on its way cannot be given up: cancelled here, it would stay in the service without a name.
    startSession: (input) =>
      CancellationScope.nonCancellable(() =>
        call('startSessions', {
          queue,
          input,
          bytes: jsonBytes(input) + input.amountOfParts * URL_BYTES,
        }),
      ),
    awaitUploadHost: async ({ pauseMs, failure }) => {
      const pause = { ms: pauseMs, reason: pausing(failure, pauseMs) };
      await call('awaitUploadHosts', { queue, input: null, bytes: 0, pause });
    },
    findOrphans: (input) => call('findOrphans', { queue, input, bytes: 2 * jsonBytes(input) }),
    putPart: (input) => call('sendParts', { queue: queueOf(input.source.source), input, bytes: input.bytes }),
    completeSession: (input) => call('completeSessions', { queue, input, bytes: 2 * jsonBytes(input) }),
    pollSession: (input) =>
      call('pollSessions', { queue, input: { ...input, pollDelayMs }, bytes: SESSION_BYTES }),
    readSession: (input) => call('readSessions', { queue, input, bytes: SESSION_BYTES }),
    releaseSource: async (input) => {
      const { source } = input;
      if (source.kind !== 'path' || source.deleteAfter !== true) return;
      await CancellationScope.nonCancellable(() =>
        call('releaseSources', { queue: queueOf(source), input, bytes: jsonBytes(input) }),
      );
    },
  };
}

/** Why `start` waits. */
function pausing({ code, message, facts }: StepFailure, pauseMs: number): StepFailure {
  const hint =
    'Nothing has to be done: start is sent again once the upload host answers, and a session that it may have made is searched for first.';
  const seconds = Math.ceil(pauseMs / 1000);
  return { code, message: `${message}; it is tried again in ${seconds} s`, facts: { ...facts, hint } };
}

/** What is kept of a session that is read. */
const SESSION_BYTES = 2_000;

function callsOfScopes(gatherer: Gatherer<UploadGroups>): Call {
  const watched = new WeakSet<CancellationScope>();
  return (kind, request) => {
    const owner = CancellationScope.current();
    if (owner.consideredCancelled) {
      return Promise.reject(new MediaServiceError('Cancelled', 'The upload was cancelled.'));
    }
    if (owner.cancellable && !watched.has(owner)) {
      watched.add(owner);
      owner.cancelRequested.catch(() => gatherer.abandon(owner));
    }
    return gatherer.call(kind, { ...request, owner });
  };
}
