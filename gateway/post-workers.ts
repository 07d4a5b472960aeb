import { accountId } from '../api/account';
import { systemClock } from '../api/clock';
import { MediaServiceError } from '../api/errors';
import { sealKeysOf } from '../temporal/seal';
import { waitActivities } from '../temporal/waits/activities';
import { postsQueue } from '../temporal/waits/types';
import { connectWorker } from '../temporal/worker/connect-worker';
import { createWorkers } from '../temporal/worker/create-worker';
import { WorkerFleet } from '../temporal/worker/worker-fleet';
import { DRAIN_MS } from './gateway-config';
import type { GatewayContext } from './route';
import { createTokenBook } from './tokens';

/** Posts at the same time, for each account. */
const POSTS_AT_ONCE = 50;

/**
 * Polls the queue of posts for each account. Workers don't poll it, because they may be where nothing can reach the
 * receiver. Resolves when the gateway stops and its posts have ended. Rejects if a worker died, when the others have
 * ended.
 */
export async function pollPosts({
  config,
  connection,
  queuePrefix,
  transport,
  stopping,
}: GatewayContext): Promise<void> {
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
  const fleet = new WorkerFleet({
    accountIds: [...keys.keys()],
    // It makes no calls to the service.
    logIn: () => Promise.resolve(),
    createWorkers: (id) =>
      createWorkers([
        {
          ...{ connection: native, namespace: temporal.namespace, activities },
          ...{ queue: postsQueue(queuePrefix, id), identity: `${process.pid}@gateway` },
          ...{ dataConverter: { payloadCodecs }, slots: POSTS_AT_ONCE, shutdownGraceMs: DRAIN_MS },
        },
      ]),
  });
  stopping.addEventListener('abort', () => fleet.drain());
  if (stopping.aborted) fleet.drain();
  await fleet.ended.finally(() => native.close());
}
