import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { systemClock } from '../../api/clock';
import { createService } from '../../api/service/create-service';
import { retryingService } from '../../api/service/service';
import { createUndiciTransport } from '../../api/transport/undici-transport';
import { startSession } from '../../api/upload/protocol/start-session';
import type { Simulator } from '../../simulator/start-simulator';
import { startSimulator } from '../../simulator/start-simulator';
import { afterTest } from '../support/after-test';
import { until } from '../support/until';
import { credentialOf } from './support/credential';
import { createPolledTrigger } from './support/polled-trigger';
import type { PolledTrigger } from './support/polled-trigger';

const SEED = { seed: { media: 40, deliveries: 0 }, processingMs: 1 };
let simulator: Simulator;
beforeEach(async () => {
  simulator = await startSimulator({ ...SEED, searchLagMs: 0 });
});
afterEach(() => simulator.close());

const triggerOf = (parameters: INodeParameters, service = simulator): PolledTrigger =>
  createPolledTrigger({ parameters, credentials: { mediaServiceApi: credentialOf(service) } });
const titlesOf = (items: readonly IDataObject[]): unknown[] => items.map(({ title }) => title);

/** Starts a session, whose media a search finds after the lag of the service. */
async function start(title: string, { baseUrl, uploadUrl, account } = simulator): Promise<void> {
  const transport = createUndiciTransport();
  afterTest(() => transport.close());
  const parts = { account: { baseUrl, uploadUrl, ...account }, transport, clock: systemClock };
  const media = { fileType: 'MP4' as const, title };
  const session = { amountOfParts: 1, media, ingestKey: title, limitMs: 60_000 };
  await startSession(retryingService(createService(parts)), session);
}

describe('new media', () => {
  test('come once each, even after a restart; the first poll returns nothing', async () => {
    const trigger = triggerOf({ event: 'media' });
    expect(await trigger.poll()).toEqual([]);
    await start('one');
    expect(titlesOf(await trigger.poll())).toEqual(['one']);
    trigger.restart();
    await start('two');
    await start('three');
    expect(new Set(titlesOf(await trigger.poll()))).toEqual(new Set(['two', 'three']));
    expect(await trigger.poll()).toEqual([]);
  });

  test('come once with a later poll if search finds them only then', async () => {
    const late = await startSimulator(SEED);
    afterTest(() => late.close());
    const trigger = triggerOf({ event: 'media' }, late);
    await trigger.poll();
    await start('unseen', late);
    const came = titlesOf(await trigger.poll());
    await until(
      'a poll brings it',
      async () => came.push(...titlesOf(await trigger.poll())),
      (count) => count > 0,
    );
    expect([came, await trigger.poll()]).toEqual([['unseen'], []]);
  });

  test('can be narrowed by tags and a type', async () => {
    const eventFor = (filters: INodeParameters): Promise<IDataObject[]> =>
      triggerOf({ event: 'media', filters }).fetchTestEvent();
    const [sample] = await eventFor({ type: 'IMAGE' });
    expect(sample).toMatchObject({ type: 'IMAGE', tags: expect.anything() });
    const tags = sample?.['tags'] as Record<string, string>;
    expect(await eventFor({ tags })).toEqual([expect.objectContaining({ tags })]);
    expect(await eventFor({ tags: { ...tags, [Object.keys(tags)[0] ?? '']: 'x' } })).toEqual([]);
  });

  test('are simplified, unless Simplify is off', async () => {
    const simplified = expect.not.objectContaining({ sanitizedTitle: expect.anything() });
    const [simple, whole] = [{}, { simplify: false }].map((how) => triggerOf({ event: 'media', ...how }));
    await simple?.poll();
    await whole?.poll();
    await start('simple');
    expect([await simple?.poll(), await simple?.fetchTestEvent()]).toEqual([[simplified], [simplified]]);
    expect(await whole?.poll()).toEqual([expect.objectContaining({ sanitizedTitle: expect.anything() })]);
  });
});
