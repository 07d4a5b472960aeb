import type { Account } from '../../api/account';
import { accountId as accountIdOf } from '../../api/account';
import { MediaServiceError } from '../../api/errors';
import { given } from '../../api/json';
import { digestsOf } from '../upload/client/input-digest';
import type { TemporalConnection } from '../client/connect';
import { askTemporal, errorOfStart, isAlreadyStarted } from '../client/rpc-failure';
import { errorOfFailure } from '../failure';
import { seal, sealKeysOf } from '../seal';
import { controlQueue } from '../upload/types';
import { WAIT_WORKFLOW, waitUrlPurpose, waitWorkflowId } from './types';
import type { WaitInput, WaitMemo } from './types';

export interface StartWait extends Omit<WaitInput, 'accountId' | 'url'> {
  readonly account: Account;
  readonly url: string;
}

/**
 * Registers a wait, or joins the one with this id. Rejects with `InputDiffers` if that one is for other ids or another
 * URL.
 */
export async function startWait(
  connection: TemporalConnection,
  { account, queuePrefix, waitId, ids, url, token, limitMs }: StartWait,
): Promise<{ readonly joined: boolean }> {
  const accountId = accountIdOf(account);
  const workflowId = waitWorkflowId(accountId, waitId);
  const sealed = seal(sealKeysOf(account.secretKey), url, waitUrlPurpose(waitId));
  const input = { waitId, ids, url: sealed, ...given({ token }), accountId, queuePrefix, limitMs };
  const memo = { inputDigest: digestsOf(Object.entries({ ids, url })) } satisfies WaitMemo;
  try {
    await connection.client.workflow.start(WAIT_WORKFLOW, {
      workflowId,
      taskQueue: controlQueue(queuePrefix, accountId),
      args: [input satisfies WaitInput],
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      memo,
      staticSummary: `Post the ends of ${ids.length} to ${new URL(url).host}`,
    });
    return { joined: false };
  } catch (error) {
    if (!isAlreadyStarted(error)) throw errorOfStart(connection, workflowId, error);
  }
  const { memo: found } = await askTemporal(connection, workflowId, () =>
    connection.client.workflow.getHandle(workflowId).describe(),
  );
  const { inputDigest }: WaitMemo = found ?? {};
  if (inputDigest !== memo.inputDigest) {
    throw new MediaServiceError('InputDiffers', `The wait ${waitId} exists for other ids or another URL.`, {
      outcome: 'refused',
      hint: 'Use another id for another wait.',
    });
  }
  return { joined: true };
}

export interface WaitState {
  /** `FAILED`: nothing is posted any more. */
  readonly status: 'WAITING' | 'DELIVERED' | 'FAILED';
  readonly error?: MediaServiceError;
}

/** Rejects with `RequestRefused` if Temporal does not know the wait (any more). */
export async function readWait(
  connection: TemporalConnection,
  named: { readonly accountId: string; readonly waitId: string },
): Promise<WaitState> {
  const workflowId = waitWorkflowId(named.accountId, named.waitId);
  return askTemporal(connection, workflowId, async () => {
    const handle = connection.client.workflow.getHandle(workflowId);
    const { status } = await handle.describe();
    if (status.name === 'RUNNING') return { status: 'WAITING' };
    if (status.name === 'COMPLETED') return { status: 'DELIVERED' };
    const error = await handle.result().then(() => undefined, errorOfFailure);
    return { status: 'FAILED', ...given({ error }) };
  });
}
