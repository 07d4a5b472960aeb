import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Simulator } from '../../simulator/simulator';
import { startSimulator } from '../../simulator/start-simulator';
import { credentialOf } from './support/credential';
import { createPolledTrigger } from './support/polled-trigger';
import type { PolledTrigger, TriggerSetting } from './support/polled-trigger';

const MINUTE_MS = 60_000;
let simulator: Simulator;
beforeEach(async () => {
  simulator = await startSimulator({ seed: { media: 3, deliveries: 0 } });
});
afterEach(() => simulator.close());

const triggerOf = (
  parameters: INodeParameters = { event: 'deliveryFailed' },
  more: Partial<TriggerSetting> = {},
): PolledTrigger =>
  createPolledTrigger({ parameters, credentials: { mediaServiceApi: credentialOf(simulator) }, ...more });
const ago = (minutes: number): string => new Date(Date.now() - minutes * MINUTE_MS).toISOString();
const idsOf = (items: readonly IDataObject[]): unknown[] => items.map(({ id }) => id);

describe('new failed deliveries', () => {
  test('the first poll brings nothing of what exists, the next ones each new failure once', async () => {
    simulator.addDelivery({ id: 'old', sentAt: ago(5) });
    const trigger = triggerOf();
    expect(await trigger.poll()).toEqual([]);
    simulator.addDelivery({ id: 'new' });
    simulator.addDelivery({ id: 'fine', status: 'SUCCESS' });
    const items = await trigger.poll();
    expect(items).toEqual([expect.objectContaining({ id: 'new', status: 'FAILED', arrivedLate: false })]);
    expect(await trigger.poll()).toEqual([]);
  });
});
