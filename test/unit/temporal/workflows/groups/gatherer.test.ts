import { describe, expect, it } from '@jest/globals';
import { FAILURE, settle, valueOf, World } from './gatherer-world';

const BUSY = { then: 'divide', failure: FAILURE } as const;

function groups(world: World): (readonly number[])[] {
  return world.sent.map(({ ids }) => ids);
}

describe('a gatherer', () => {
  it('lets a call leave at once, with those of the same turn', async () => {
    const world = new World();
    world.call();
    world.call();
    await settle();
    expect(groups(world)).toEqual([[1, 2]]);
  });

  it('lets calls wait while as many groups are under way as may be, and leave together', async () => {
    const world = new World({ maxGroups: 1 });
    for (let n = 0; n < 4; n += 1) {
      world.call();
      await settle();
    }
    expect(groups(world)).toEqual([[1]]);
    await world.succeed(world.sent[0]);
    expect(groups(world)).toEqual([[1], [2, 3, 4]]);
  });

  it('bounds a group by inputs and bytes; what is larger travels alone', async () => {
    const world = new World({ maxGroups: 9, maxInputs: 3, maxBytes: 10 });
    for (const bytes of [4, 4, 4, 50, 1, 1, 1, 1]) world.call({ bytes });
    await settle();
    expect(groups(world)).toEqual([[1, 2], [3], [4], [5, 6, 7], [8]]);
  });

  it('lets more groups leave while each is full', async () => {
    const world = new World({ maxGroups: 1, maxFullGroups: 3, maxInputs: 2 });
    for (let n = 0; n < 5; n += 1) world.call();
    await settle();
    expect(groups(world)).toEqual([
      [1, 2],
      [3, 4],
    ]);
    for (let n = 0; n < 4; n += 1) world.call();
    await settle();
    expect(groups(world).slice(2)).toEqual([[5, 6]]);
    await world.succeed(world.sent[0]);
    expect(groups(world).slice(3)).toEqual([[7, 8]]);
  });

  it('takes outcomes ahead of their group, and lets others leave beside what is left of it', async () => {
    const world = new World({ maxGroups: 1, maxFullGroups: 2 });
    const [quick, slow] = [world.call(), world.call()];
    await settle();
    const next = world.call();
    await settle();
    expect(groups(world)).toEqual([[1, 2]]);
    world.gatherer.early({ number: 1, outcomes: [[0, valueOf(quick.id)]] });
    await expect(quick.result).resolves.toBe('value 1');
    await settle();
    expect(groups(world)).toEqual([[1, 2], [3]]);
    await world.end(world.sent[0], { outcomes: [{ failure: FAILURE }, valueOf(slow.id)] });
    await expect(slow.result).resolves.toBe('value 2');
    expect(world.settled.get(quick.id)).toEqual(['value 1']);
    await world.succeed(world.sent[1]);
    await expect(next.result).resolves.toBe('value 3');
  });

  it('gives each queue and kind a lane of its own', async () => {
    const world = new World({ maxGroups: 1 });
    world.call({ queue: 'away' });
    world.call({ queue: 'here' });
    world.call({ queue: 'here', kind: 'other' });
    await settle();
    expect(groups(world)).toEqual([[1], [2], [3]]);
  });

  it('shares the concurrency of a lane among its groups', async () => {
    const world = new World({ maxInputs: 10, concurrency: 5 });
    for (let n = 0; n < 30; n += 1) world.call();
    await settle();
    expect(world.sent.map(({ departure }) => departure.concurrency)).toEqual([3, 2]);
    await world.succeed(world.sent[0]);
    expect(world.sent[2]?.departure.concurrency).toBe(3);
  });

  it('gives each call its own outcome', async () => {
    const world = new World();
    const [first, second] = [world.call(), world.call()];
    await settle();
    await world.end(world.sent[0], { outcomes: [valueOf(first.id), { failure: FAILURE }] });
    await expect(first.result).resolves.toBe('value 1');
    await expect(second.result).rejects.toMatchObject({ code: 'ServiceFailed', message: FAILURE.message });
  });

  it('waits with one timer for all that must travel again, and then sends it together', async () => {
    const world = new World();
    for (let n = 0; n < 3; n += 1) world.call();
    await settle();
    const again = (afterMs: number) => ({ again: { tries: 1, afterMs, failure: FAILURE } });
    await world.end(world.sent[0], { outcomes: [again(1_100), again(1_300), again(1_900)] });
    expect(world.waits()).toEqual([1_000_002_000]);
    expect(world.gatherer.waiting()).toEqual({ reason: FAILURE, calls: 3 });
    await world.passTime();
    expect(groups(world)).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
    expect(world.sent[1]?.departure.inputs.map(({ tries }) => tries)).toEqual([1, 1, 1]);
    expect(world.gatherer.waiting()).toBeUndefined();
  });

  it('sends what takes the place of an input', async () => {
    const world = new World();
    world.call();
    await settle();
    await world.end(world.sent[0], { outcomes: [{ again: { tries: 1, afterMs: 0, input: { id: 77 } } }] });
    expect(groups(world)).toEqual([[1], [77]]);
  });

  it('gives up what may be tried no more, with its last failure', async () => {
    const world = new World({ retryForMs: 5_000 });
    const { result } = world.call();
    await settle();
    await world.end(world.sent[0], { outcomes: [{ again: { tries: 1, afterMs: 9_000, failure: FAILURE } }] });
    await expect(result).rejects.toMatchObject({ code: 'ServiceFailed' });
    expect(world.waits()).toEqual([]);
  });

  it('lets a call pause before its first group', async () => {
    const world = new World();
    world.call({ pauseMs: 7_000 });
    await settle();
    expect([groups(world), world.gatherer.waiting()?.reason]).toEqual([[], FAILURE]);
    await world.passTime();
    expect(groups(world)).toEqual([[1]]);
  });

  it('lets travel alone what may have crashed its workers', async () => {
    const world = new World();
    for (let n = 0; n < 3; n += 1) world.call();
    await settle();
    const alone = { again: { tries: 2, afterMs: 0, alone: true } } as const;
    await world.end(world.sent[0], { outcomes: [valueOf(1), alone, alone] });
    expect(groups(world)).toEqual([[1, 2, 3], [2], [3]]);
  });

  it('divides a group that failed as a whole, down to the input that is to blame', async () => {
    const world = new World({ maxGroups: 1 });
    const calls = [1, 2, 3, 4].map(() => world.call());
    await settle();
    await world.end(world.sent[0], { outcomes: [], rest: BUSY });
    await world.succeed(world.sent[1]);
    await world.end(world.sent[2], { outcomes: [], rest: BUSY });
    await world.end(world.sent[3], { outcomes: [], rest: BUSY });
    await world.succeed(world.sent[4]);
    expect(groups(world)).toEqual([[1, 2, 3, 4], [1, 2], [3, 4], [3], [4]]);
    await expect(calls[2]?.result).rejects.toMatchObject({ code: 'ServiceFailed' });
    await expect(calls[3]?.result).resolves.toBe('value 4');
  });

  it('cancels a group once all of its calls are abandoned, and keeps what it brings all the same', async () => {
    const world = new World();
    const [one, other] = [{}, {}];
    const [first, second, third] = [
      world.call({ owner: one }),
      world.call({ owner: one }),
      world.call({ owner: other }),
    ];
    await settle();
    world.gatherer.abandon(one);
    expect(world.sent[0]?.cancelled).toBe(false);
    world.gatherer.abandon(other);
    expect(world.sent[0]?.cancelled).toBe(true);
    await world.end(world.sent[0], { outcomes: [valueOf(1), { again: { tries: 1 } }, { failure: FAILURE }] });
    await expect(first.result).resolves.toBe('value 1');
    await expect(second.result).rejects.toMatchObject({ code: 'Cancelled' });
    await expect(third.result).rejects.toMatchObject({ code: 'Cancelled' });
    expect(world.waits()).toEqual([]);
  });

  it('ends abandoned calls that wait at once', async () => {
    const world = new World({ maxGroups: 1 });
    const [one, other] = [{}, {}];
    world.call({ owner: other });
    await settle();
    const waiting = world.call({ owner: one });
    const pausing = world.call({ owner: one, pauseMs: 5_000 });
    await settle();
    world.gatherer.abandon(one);
    await expect(waiting.result).rejects.toMatchObject({ code: 'Cancelled' });
    await expect(pausing.result).rejects.toMatchObject({ code: 'Cancelled' });
    expect(world.waits()).toEqual([]);
    await world.succeed(world.sent[0]);
    expect(groups(world)).toEqual([[1]]);
  });

  it('holds groups back until they may leave', async () => {
    const world = new World();
    world.mayLeave = false;
    world.call();
    await settle();
    expect([groups(world), world.gatherer.underWay('work')]).toEqual([[], []]);
    world.mayLeave = true;
    world.gatherer.resume();
    await settle();
    expect([groups(world), world.gatherer.underWay('work')]).toEqual([[[1]], [{ id: 1 }]]);
  });
});
