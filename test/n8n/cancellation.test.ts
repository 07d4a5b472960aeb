import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Simulator } from '../../simulator/simulator';
import { startSimulator } from '../../simulator/start-simulator';
import { credentialOf } from './support/credential';
import { runNode } from './support/run-workflow';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

test('cancelling an execution ends a search that waits for its answer, even if the node continues after errors', async () => {
  simulator.fault('search-silent');
  const stop = new AbortController();
  const struck = simulator.waitFor(({ event }) => event === 'fault');
  const running = runNode({
    parameters: { resource: 'media', operation: 'search' },
    credentials: { mediaServiceApi: credentialOf(simulator) },
    onError: 'continueRegularOutput',
    signal: stop.signal,
  });
  await struck;
  stop.abort();
  const { run } = await running;
  expect(run.status).toBe('canceled');
  expect(simulator.seen().requests['search']).toBe(1);
});
