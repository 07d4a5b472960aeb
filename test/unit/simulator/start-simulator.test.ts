import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { startSimulator } from '../../../simulator/start-simulator';
import { until } from '../../support/until';
import { BareClient } from './bare-client';

test('every n-th call of the service is slow, and the others overtake it', async () => {
  const taken: number[] = [];
  const simulator = await startSimulator({
    slowEvery: 3,
    latencyMs: 20,
    seed: { media: 1, deliveries: 1 },
    takeTime: async (ms, signal) => {
      taken.push(ms);
      if (ms > 10_000) await once(signal, 'abort');
    },
  });
  const client = new BareClient(simulator);
  const answered: string[] = [];
  const search = (name: string): Promise<void> =>
    client.search().then(
      () => void answered.push(name),
      () => undefined,
    );
  // The first call is the login.
  await search('second');
  const third = search('third');
  await until('the third call has begun', () => taken.length === 3);
  await search('fourth');
  expect(answered).toEqual(['second', 'fourth']);
  expect(taken).toEqual([20, 20, 10_020, 20]);
  await simulator.close();
  await third;
});

test('closing ends waiting connections and removes the temporary folder', async () => {
  const folders = (): string[] =>
    readdirSync(tmpdir()).filter((name) => name.startsWith('media-service-simulator-'));
  const before = folders();
  const simulator = await startSimulator({ faults: ['search-timeout'], seed: { media: 1, deliveries: 1 } });
  const client = new BareClient(simulator);
  // Our folder, and those of other tests that began at the same time.
  const begun = folders().filter((name) => !before.includes(name));
  const waiting = client.search().catch((error: unknown) => error);
  await simulator.waitFor(({ event }) => event === 'fault');
  await simulator.close();
  expect(await waiting).toMatchObject({ message: 'fetch failed' });
  expect(begun.filter((name) => !existsSync(`${tmpdir()}/${name}`))).not.toEqual([]);
});
