import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { requireUploadHost } from '../../api/upload/session/upload-host';
import type { HostWait } from '../../api/upload/upload-steps';
import type { ForAccount } from '../contract';
import { accountOf } from './context/activity-deps';
import type { ActivityDeps } from './context/activity-deps';
import { inBeatingActivity } from './context/in-activity';

const HINT =
  'Nothing has to be done: start is sent again once the upload host answers, and a session that it may have made is searched for first.';

/**
 * Waits before a `start` is repeated: first for the pause, then until the upload host answers. Both are tries of this activity that Temporal
 * repeats: a wait of hours costs no slot and no history, and the last try says what is waited for.
 */
export function awaitUploadHost(deps: ActivityDeps) {
  return ({ accountId, pauseMs, failure }: ForAccount<HostWait>): Promise<void> =>
    inBeatingActivity(async (signal) => {
      if (pauseMs > 0 && Context.current().info.attempt === 1) throw pausing({ pauseMs, failure });
      await requireUploadHost(accountOf(deps, accountId).service, signal);
    });
}

function pausing({ pauseMs, failure: { code, message, facts } }: HostWait): ApplicationFailure {
  return ApplicationFailure.create({
    message: `${message}; it is tried again in ${String(Math.ceil(pauseMs / 1000))} s`,
    type: code,
    details: [{ ...facts, hint: HINT }],
    nextRetryDelay: pauseMs,
  });
}
