import { once } from 'node:events';
import { accountId } from '../api/account';
import { systemClock } from '../api/clock';
import { MediaServiceError } from '../api/errors';
import { sealKeysOf } from '../temporal/seal';
import { waitActivities } from '../temporal/waits/activities';
import { postsQueue } from '../temporal/waits/types';
import { connectWorker } from '../temporal/worker/connect-worker';
import { createWorkers } from '../temporal/worker/create-worker';
import { DRAIN_MS } from './gateway-config';
import type { GatewayContext } from './route';
import { createTokenBook } from './tokens';

/** Posts at the same time, for each account. */
const POSTS_AT_ONCE = 50;

/**
 * Polls the queue of posts for each account. Workers don't poll it, because they may be where nothing can reach the
 * receiver. `ended` resolves when the gateway stops and its posts have ended, and rejects if a worker died.
 */
export async function startPostWorkers({
  config,
  connection,
  queuePrefix,
  transport,
  stopping,
}: GatewayContext): Promise<{ readonly ended: Promise<void> }> {
  const { temporal, accounts, tokensFile, postTo: hosts = [] } = config;
  const keys = new Map(
    accounts.map(({ account, previousSecretKeys }) => [
      accountId(account),
      sealKeysOf(account.secretKey, previousSecretKeys),
    ]),
  );
  const book = tokensFile === undefined ? undefined : createTokenBook(tokensFile);
  const activities = waitActivities({
    ...{ connection, transport, hosts, clock: systemClock },
    sealKeysOf: (id) => keys.get(id),
    async signingKeyOf(name) {
      const token = await book?.named(name);
      if (token !== undefined) return Buffer.from(token.sha256, 'hex');
      const message = `The token ${name} of this wait was revoked.`;
      throw new MediaServiceError('Unauthorized', message, { outcome: 'refused' });
    },
  });
  const native = await connectWorker(temporal);
  const { payloadCodecs } = connection.client.options.loadedDataConverter;
  const workers = await createWorkers(
    [...keys.keys()].map((id) => ({
      ...{
        connection: native,
        namespace: temporal.namespace,
        queue: postsQueue(queuePrefix, id),
        activities,
      },
      ...{ dataConverter: { payloadCodecs }, identity: `${process.pid}@gateway` },
      ...{ slots: POSTS_AT_ONCE, shutdownGraceMs: DRAIN_MS },
    })),
  );
  const stopped = Promise.resolve(stopping.aborted || once(stopping, 'abort')).then(() => undefined);
  const runs = workers.map((worker) => worker.runUntil(stopped));
  const closed = Promise.allSettled(runs).then(() => native.close());
  return { ended: Promise.all(runs).then(() => closed) };
}
