import { ActivityFailure, ApplicationFailure, isCancellation, TimeoutFailure } from '@temporalio/workflow';
import type { Outcome } from '../../contract/groups';
import { groupHeartbeatOf } from '../../contract/groups';
import type { UploadGroupKind } from '../../contract/upload-groups';
import { isErrorCode, stepFailureOf } from '../../failure';
import type { GroupEnd } from './gatherer';

/**
 * The outcomes of a group whose activity failed. The last heartbeat's outcomes count, and the failure decides about
 * the other inputs. A `start` is never sent again, because its outcome is unknown.
 */
export function failedEnd(kind: UploadGroupKind, inputs: number, error: unknown): GroupEnd {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  const failure = stepFailureOf(error);
  const outcomes = keptOutcomes(cause, inputs);
  const isOurs = cause instanceof ApplicationFailure && isErrorCode(cause.type);
  if (kind === 'startSessions' || isCancellation(error) || isOurs) {
    return { outcomes, rest: { then: 'fail', failure } };
  }
  return { outcomes, rest: { then: cause instanceof TimeoutFailure ? 'again' : 'divide', failure } };
}

function keptOutcomes(cause: unknown, inputs: number): (Outcome | undefined)[] {
  const heartbeat =
    cause instanceof TimeoutFailure ? groupHeartbeatOf(cause.lastHeartbeatDetails) : undefined;
  const outcomes = new Map(heartbeat?.outcomes);
  return Array.from({ length: inputs }, (_, index) => outcomes.get(index));
}
