import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Simulator } from '../../simulator/simulator';
import { startSimulator } from '../../simulator/start-simulator';
import { credentialOf } from './support/credential';
import { runNode } from './support/run-workflow';
import type { NodeRun } from './support/run-workflow';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const search = (parameters: NodeRun['parameters'], more: Partial<NodeRun> = {}): ReturnType<typeof runNode> =>
  runNode({
    parameters: { resource: 'media', operation: 'search', ...parameters },
    credentials: { mediaServiceApi: credentialOf(simulator) },
    ...more,
  });

describe('Media > Search', () => {
  test('Limit ends the list, Return All gives every media once', async () => {
    const few = await search({ limit: 7 });
    expect(few.error).toBeUndefined();
    expect(few.items).toHaveLength(7);
    const all = await search({ returnAll: true, options: { pageSize: 100 } });
    expect(all.items).toHaveLength(simulator.seen().media);
    expect(new Set(all.items.map(({ json }) => json['id'])).size).toBe(simulator.seen().media);
  });
});
