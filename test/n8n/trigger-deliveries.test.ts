import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Simulator } from '../../simulator/start-simulator';
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
/** Adds `d0`, `d1` and so on, sent so many ms apart. */
const addMany = (count: number, { since, apartMs }: { since: number; apartMs: number }): void => {
  for (let index = 0; index < count; index += 1)
    simulator.addDelivery({ id: `d${index}`, sentAt: new Date(since + index * apartMs).toISOString() });
};
const idsOf = (items: readonly IDataObject[]): unknown[] => items.map(({ id }) => id);

describe('new failed deliveries', () => {
  test('come once each; the first poll returns nothing of what already exists', async () => {
    simulator.addDelivery({ id: 'old', sentAt: ago(5) });
    const trigger = triggerOf();
    expect(await trigger.poll()).toEqual([]);
    simulator.addDelivery({ id: 'new' });
    simulator.addDelivery({ id: 'fine', status: 'SUCCESS' });
    const items = await trigger.poll();
    expect(items).toEqual([expect.objectContaining({ id: 'new', status: 'FAILED', arrivedLate: false })]);
    expect(await trigger.poll()).toEqual([]);
  });

  test('are not lost while the service is down for several polls: the first good poll returns them once', async () => {
    const trigger = triggerOf();
    await trigger.poll();
    const before = trigger.stored();
    for (const id of ['a', 'b']) {
      simulator.addDelivery({ id });
      simulator.fault('webhooks-503:9');
      await expect(trigger.poll()).rejects.toMatchObject({ httpCode: '503' });
      simulator.clearFaults();
      trigger.restart();
    }
    expect(trigger.stored()).toBe(before);
    expect(idsOf(await trigger.poll())).toEqual(['a', 'b']);
    expect(await trigger.poll()).toEqual([]);
  });

  test('come once even if two polls run at once', async () => {
    const trigger = triggerOf();
    await trigger.poll();
    simulator.addDelivery({ id: 'one' });
    const both = await Promise.all([trigger.poll(), trigger.poll()]);
    expect(idsOf(both.flat())).toEqual(['one']);
  });

  test('start from now if the filter changes, but not if the secret or overlap changes', async () => {
    const trigger = triggerOf();
    await trigger.poll();
    simulator.addDelivery({ id: 'first' });
    simulator.acceptSecretKeys(['next-secret-key']);
    trigger.restart({
      parameters: { event: 'deliveryFailed', options: { overlapMinutes: 30 } },
      credentials: { mediaServiceApi: credentialOf(simulator, { secretKey: 'next-secret-key' }) },
    });
    expect(idsOf(await trigger.poll())).toEqual(['first']);
    simulator.addDelivery({ id: 'second' });
    trigger.restart({ parameters: { event: 'deliveryFailed', filters: { subAccountId: 'demo-studio' } } });
    expect(await trigger.poll()).toEqual([]);
    simulator.addDelivery({ id: 'third' });
    expect(idsOf(await trigger.poll())).toEqual(['third']);
  });

  test('above 10,000 come over several polls, each once, and the state stays small', async () => {
    const trigger = triggerOf({ event: 'delivery', options: { startFrom: '-2h' } });
    addMany(10_500, { since: Date.now() - 5_400_000, apartMs: 100 });
    const came: unknown[] = [];
    const counts: number[] = [];
    do {
      const items = await trigger.poll();
      counts.push(items.length);
      came.push(...idsOf(items));
      trigger.restart();
    } while (counts.at(-1) !== 0);
    expect(Math.max(...counts)).toBeLessThanOrEqual(5000);
    expect(came).toEqual(Array.from({ length: 10_500 }, (_, index) => `d${index}`));
    expect(trigger.stored().length).toBeLessThan(200_000);
  });

  test('do not come in a poll without time for one answer, which says so', async () => {
    const hurried = triggerOf({ event: 'deliveryFailed' }, { budgetMs: 1 });
    await expect(hurried.poll()).rejects.toThrow('too slowly for one poll');
  });

  test('leave neither secrets nor records in the stored data', async () => {
    const trigger = triggerOf({ event: 'deliveryFailed', options: { startFrom: '-1h' } });
    simulator.addDelivery({ id: 'confidential-id', message: 'confidential text' });
    await trigger.poll();
    expect(trigger.stored()).not.toMatch(/confidential/);
    expect(trigger.stored()).not.toContain(simulator.account.secretKey);
  });

  test.each<readonly [what: string, parameters: INodeParameters, message: RegExp]>([
    ['a start in the future', { options: { startFrom: '2999-01-01' } }, /is in the future/],
    ['a start that is not a date', { options: { startFrom: 'soon' } }, /isn't a valid date: "soon"/],
    ['an overlap of zero', { options: { overlapMinutes: 0 } }, /"Overlap \(Minutes\)" is 0/],
    ['an unknown event', { event: 'moon' }, /no event "moon"/],
  ])('with %s are refused', async (_what, parameters, message) => {
    const trigger = triggerOf({ event: 'deliveryFailed', ...parameters });
    await expect(trigger.poll()).rejects.toThrow(message);
  });
});

describe('Fetch Test Event', () => {
  test('returns the newest real delivery and remembers nothing', async () => {
    simulator.addDelivery({ id: 'older', sentAt: ago(60 * 24 * 3) });
    simulator.addDelivery({ id: 'newer', sentAt: ago(60 * 24 * 2) });
    const trigger = triggerOf();
    expect(idsOf(await trigger.fetchTestEvent())).toEqual(['newer']);
    expect(trigger.stored()).toBe('{}');
  });

  test('finds the newest of thousands', async () => {
    addMany(2_500, { since: Date.now() - 1_800_000, apartMs: 10 });
    expect(idsOf(await triggerOf().fetchTestEvent())).toEqual(['d2499']);
  });
});

describe('options and filters that match nothing', () => {
  test('narrow Fetch Test Event by media and sub-account', async () => {
    simulator.addDelivery({ id: 'one', sentAt: ago(5), mediaId: 'm-1', subAccountId: 's-1' });
    const idsFor = async (filters: INodeParameters): Promise<unknown[]> =>
      idsOf(await triggerOf({ event: 'delivery', filters }).fetchTestEvent());
    expect(await idsFor({ mediaId: 'm-1', subAccountId: 's-1' })).toEqual(['one']);
    expect(await idsFor({ mediaId: 'nobody' })).toEqual([]);
    expect(await idsFor({ subAccountId: 'nobody' })).toEqual([]);
    expect(await idsFor({ status: ['SUCCESS'] })).toEqual([]);
    // As expressions write it.
    expect(await idsFor({ status: ['failed'] })).toEqual(['one']);
  });

  test('such as an unknown ID field are refused, with the fields that deliveries have', async () => {
    const of = (idField: string): PolledTrigger =>
      triggerOf({ event: 'delivery', options: { startFrom: '-1h', idField } });
    expect(await of('payload.nonsense').poll()).toEqual([]);
    simulator.addDelivery({ id: 'one', sentAt: ago(5) });
    await expect(of('payload.nonsense').poll()).rejects.toMatchObject({
      message: 'None of the deliveries has a field "payload.nonsense"',
      description: expect.stringMatching(/"ID Field".*sentAt/),
    });
    expect(idsOf(await of('id').poll())).toEqual(['one']);
  });
});
