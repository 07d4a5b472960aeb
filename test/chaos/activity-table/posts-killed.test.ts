import type { GatewayConfig } from '../../../gateway/gateway-config';
import type { waitActivities } from '../../../temporal/waits/activities';
import { WAIT_WORKFLOW } from '../../../temporal/waits/types';
import { KILL_MOMENTS } from '../../support/kill-point';
import type { KillMoment } from '../../support/kill-point';
import { testPool } from '../../support/pool';
import { LONG_LIMIT_MS, until } from '../../support/until';
import { openUploadFixture } from '../../support/upload-fixture';
import type { UploadFixture } from '../../support/upload-fixture';
import { startWebhookReceiver } from '../../support/webhook-receiver';
import type { WebhookReceiver } from '../../support/webhook-receiver';

/** The only activity of a gateway: the compiler refuses another one. The table of workers has all others. */
const { postEnds: ACTIVITY }: Record<keyof ReturnType<typeof waitActivities>, string> = {
  postEnds: 'postEnds',
};
const WAIT = 'execution-1';

function doorOf({ config }: UploadFixture): GatewayConfig {
  const { temporal, accounts, queuePrefix = '', host, roots, outputRoots = [] } = config;
  return {
    ...{ temporal, accounts, queuePrefix, listen: { host: '127.0.0.1', port: 0 } },
    ...{ worker: { host, roots, outputRoots }, postTo: ['127.0.0.1'], logLevel: 'error' },
  };
}

/** Asks for the post of an upload's end. The door can die before it answers. */
async function awaitEnd(
  address: string,
  { id, url }: { readonly id: string; readonly url: string },
): Promise<void> {
  const body = JSON.stringify({ ids: [id], url, waitId: WAIT });
  const headers = { 'content-type': 'application/json' };
  await fetch(`${address}/v1/waits`, { method: 'POST', headers, body }).catch(() => undefined);
}

async function runKilled(moment: KillMoment): Promise<void> {
  const hook = await startWebhookReceiver('nobody signs here');
  const fixture = await openUploadFixture();
  try {
    await throughDeath(fixture, hook, moment);
  } finally {
    await fixture.close();
    await hook.close();
  }
}

async function throughDeath(
  fixture: UploadFixture,
  { url, posts }: WebhookReceiver,
  moment: KillMoment,
): Promise<void> {
  const gateway = doorOf(fixture);
  const killPoint = { workflow: WAIT_WORKFLOW, activity: ACTIVITY, moment };
  const doomed = await fixture.startWorkerProcess({}, { gateway, killPoint });
  const { path } = await fixture.writeFile('film.mp4', 0.1);
  const upload = await fixture.start(path);
  await upload.result();
  await awaitEnd(doomed.httpUrl, { id: upload.workflowId, url });
  expect(await doomed.gone).toBe('SIGKILL');
  expect(posts).toHaveLength(moment === 'before' ? 0 : 1);
  const { httpUrl } = await fixture.startWorkerProcess({}, { gateway });
  const waitOf = async (): Promise<string> => (await fetch(`${httpUrl}/v1/waits/${WAIT}`)).text();
  const isDelivered = (wait: string): boolean => wait.includes('DELIVERED');
  await until('the end is delivered', waitOf, isDelivered, { limitMs: LONG_LIMIT_MS });
  expect(new Set(posts.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([WAIT]));
  for (const { body } of posts)
    expect(JSON.parse(body)).toMatchObject({ ends: [{ id: upload.workflowId, status: 'COMPLETED' }] });
}

describe('a gateway that is killed', () => {
  /** A lost gateway is noticed after two minutes. */
  testPool(
    '$moment postEnds is replaced: the end is posted under one name',
    KILL_MOMENTS.map((moment) => ({ moment })),
    { atOnce: KILL_MOMENTS.length, run: ({ moment }) => runKilled(moment) },
  );
});
