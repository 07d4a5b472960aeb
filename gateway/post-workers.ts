import { accountId } from '../api/account';
import { systemClock } from '../api/clock';
import { MediaServiceError } from '../api/errors';
import { createCodec, parseCodecKeys } from '../temporal/codec';
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

export interface PostWorkers {
  /** Rejects if a worker died. */
  readonly ended: Promise<void>;
  /** Resolves when running posts have ended. */
  stop(): Promise<void>;
}

/**
 * Polls the queue of posts for each account. Workers don't poll it, because they may be where nothing can reach the
 * receiver.
 */
export async function startPostWorkers({
  config,
  connection,
  queuePrefix,
  transport,
}: GatewayContext): Promise<PostWorkers> {
  const { temporal, accounts, tokensFile, postTo: hosts = [] } = config;
  const keys = new Map(
    accounts.map(({ account, previousSecretKeys }) => [
      accountId(account),
      sealKeysOf(account.secretKey, previousSecretKeys),
    ]),
  );
  const book = tokensFile === undefined ? undefined : createTokenBook(tokensFile);
  const native = await connectWorker(temporal);
  const activities = waitActivities({
    ...{ connection, transport, hosts, clock: systemClock },
    sealKeysOf: (id) => keys.get(id),
    async signingKeyOf(name) {
      const token = await book?.named(name);
      if (token !== undefined) return Buffer.from(token.sha256, 'hex');
      throw new MediaServiceError('Unauthorized', `The token ${name} of this wait was revoked.`, {
        outcome: 'refused',
      });
    },
  });
  const { namespace, codecKeys } = temporal;
  const converter =
    codecKeys === undefined
      ? {}
      : { dataConverter: { payloadCodecs: [createCodec(parseCodecKeys(codecKeys))] } };
  const workers = await createWorkers(
    [...keys.keys()].map((id) => ({
      ...{ connection: native, namespace, queue: postsQueue(queuePrefix, id), activities, ...converter },
      ...{ identity: `${process.pid}@gateway`, slots: POSTS_AT_ONCE, shutdownGraceMs: DRAIN_MS },
    })),
  );
  const runs = workers.map((worker) => worker.run());
  const all = Promise.all(runs).then(() => undefined);
  return {
    ended: all,
    async stop() {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      await Promise.allSettled(runs);
      await native.close();
    },
  };
}
