import { describe, expect, it } from '@jest/globals';
import { FAILURE, settle, valueOf, GathererModel } from './gatherer-model';

const BUSY = { then: 'divide', failure: FAILURE } as const;

function groups(model: GathererModel): (readonly number[])[] {
  return model.sent.map(({ ids }) => ids);
}

describe('the gatherer of calls', () => {
  it('sends a call at once, together with those of the same turn', async () => {
    const model = new GathererModel();
    model.call();
    model.call();
    await settle();
    expect(groups(model)).toEqual([[1, 2]]);
  });

  it('lets calls wait while the maximum number of groups runs, and then sends them together', async () => {
    const model = new GathererModel({ maxGroups: 1 });
    for (let n = 0; n < 4; n += 1) {
      model.call();
      await settle();
    }
    expect(groups(model)).toEqual([[1]]);
    await model.succeed(model.sent[0]);
    expect(groups(model)).toEqual([[1], [2, 3, 4]]);
  });

  it('limits a group by inputs and bytes; a larger input is sent on its own', async () => {
    const model = new GathererModel({ maxGroups: 9, maxInputs: 3, maxBytes: 10 });
    for (const bytes of [4, 4, 4, 50, 1, 1, 1, 1]) model.call({ bytes });
    await settle();
    expect(groups(model)).toEqual([[1, 2], [3], [4], [5, 6, 7], [8]]);
  });

  it('gives each queue and kind a lane of its own', async () => {
    const model = new GathererModel({ maxGroups: 1 });
    model.call({ queue: 'away' });
    model.call({ queue: 'here' });
    model.call({ queue: 'here', kind: 'other' });
    await settle();
    expect(groups(model)).toEqual([[1], [2], [3]]);
  });

  it('shares the concurrency of a lane among its groups', async () => {
    const model = new GathererModel({ maxInputs: 10, concurrency: 5 });
    for (let n = 0; n < 30; n += 1) model.call();
    await settle();
    expect(model.sent.map(({ departure }) => departure.concurrency)).toEqual([3, 2]);
    await model.succeed(model.sent[0]);
    expect(model.sent[2]?.departure.concurrency).toBe(3);
  });

  it('gives each call its own outcome', async () => {
    const model = new GathererModel();
    const [first, second] = [model.call(), model.call()];
    await settle();
    await model.end(model.sent[0], { outcomes: [valueOf(first.id), { failure: FAILURE }] });
    await expect(first.result).resolves.toBe('value 1');
    await expect(second.result).rejects.toMatchObject({ code: 'ServiceFailed', message: FAILURE.message });
  });

  it('uses one timer for all calls that must be repeated, and then sends them together', async () => {
    const model = new GathererModel();
    for (let n = 0; n < 3; n += 1) model.call();
    await settle();
    const again = (afterMs: number) => ({ again: { tries: 1, afterMs, failure: FAILURE } });
    await model.end(model.sent[0], { outcomes: [again(1_100), again(1_300), again(1_900)] });
    expect(model.waits()).toEqual([1_000_002_000]);
    expect(model.gatherer.waiting()).toEqual({ reason: FAILURE, calls: 3 });
    await model.passTime();
    expect(groups(model)).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
    expect(model.sent[1]?.departure.inputs.map(({ tries }) => tries)).toEqual([1, 1, 1]);
    expect(model.gatherer.waiting()).toBeUndefined();
  });

  it('sends the replacement of an input', async () => {
    const model = new GathererModel();
    model.call();
    await settle();
    await model.end(model.sent[0], { outcomes: [{ again: { tries: 1, afterMs: 0, input: { id: 77 } } }] });
    expect(groups(model)).toEqual([[1], [77]]);
  });

  it('gives up a call without tries left, with its last failure', async () => {
    const model = new GathererModel({ retryForMs: 5_000 });
    const { result } = model.call();
    await settle();
    await model.end(model.sent[0], { outcomes: [{ again: { tries: 1, afterMs: 9_000, failure: FAILURE } }] });
    await expect(result).rejects.toMatchObject({ code: 'ServiceFailed' });
    expect(model.waits()).toEqual([]);
  });

  it('lets a call pause before its first group', async () => {
    const model = new GathererModel();
    model.call({ pauseMs: 7_000 });
    await settle();
    expect([groups(model), model.gatherer.waiting()?.reason]).toEqual([[], FAILURE]);
    await model.passTime();
    expect(groups(model)).toEqual([[1]]);
  });

  it('sends a call on its own if it may have crashed its workers', async () => {
    const model = new GathererModel();
    for (let n = 0; n < 3; n += 1) model.call();
    await settle();
    const alone = { again: { tries: 2, afterMs: 0, alone: true } } as const;
    await model.end(model.sent[0], { outcomes: [valueOf(1), alone, alone] });
    expect(groups(model)).toEqual([[1, 2, 3], [2], [3]]);
  });

  it('splits a group that failed as a whole, down to the input that causes it', async () => {
    const model = new GathererModel({ maxGroups: 1 });
    const calls = [1, 2, 3, 4].map(() => model.call());
    await settle();
    await model.end(model.sent[0], { outcomes: [], rest: BUSY });
    await model.succeed(model.sent[1]);
    await model.end(model.sent[2], { outcomes: [], rest: BUSY });
    await model.end(model.sent[3], { outcomes: [], rest: BUSY });
    await model.succeed(model.sent[4]);
    expect(groups(model)).toEqual([[1, 2, 3, 4], [1, 2], [3, 4], [3], [4]]);
    await expect(calls[2]?.result).rejects.toMatchObject({ code: 'ServiceFailed' });
    await expect(calls[3]?.result).resolves.toBe('value 4');
  });

  it('cancels a group when all of its calls are abandoned, and still keeps its results', async () => {
    const model = new GathererModel();
    const [one, other] = [{}, {}];
    const [first, second, third] = [
      model.call({ owner: one }),
      model.call({ owner: one }),
      model.call({ owner: other }),
    ];
    await settle();
    model.gatherer.abandon(one);
    expect(model.sent[0]?.cancelled).toBe(false);
    model.gatherer.abandon(other);
    expect(model.sent[0]?.cancelled).toBe(true);
    await model.end(model.sent[0], { outcomes: [valueOf(1), { again: { tries: 1 } }, { failure: FAILURE }] });
    await expect(first.result).resolves.toBe('value 1');
    await expect(second.result).rejects.toMatchObject({ code: 'Cancelled' });
    await expect(third.result).rejects.toMatchObject({ code: 'Cancelled' });
    expect(model.waits()).toEqual([]);
  });

  it('ends waiting calls at once when they are abandoned', async () => {
    const model = new GathererModel({ maxGroups: 1 });
    const [one, other] = [{}, {}];
    model.call({ owner: other });
    await settle();
    const waiting = model.call({ owner: one });
    const pausing = model.call({ owner: one, pauseMs: 5_000 });
    await settle();
    model.gatherer.abandon(one);
    await expect(waiting.result).rejects.toMatchObject({ code: 'Cancelled' });
    await expect(pausing.result).rejects.toMatchObject({ code: 'Cancelled' });
    expect(model.waits()).toEqual([]);
    await model.succeed(model.sent[0]);
    expect(groups(model)).toEqual([[1]]);
  });

  it('holds groups back until they may start', async () => {
    const model = new GathererModel();
    model.mayLeave = false;
    model.call();
    await settle();
    expect([groups(model), model.gatherer.underWay('work')]).toEqual([[], []]);
    model.mayLeave = true;
    model.gatherer.resume();
    await settle();
    expect([groups(model), model.gatherer.underWay('work')]).toEqual([[[1]], [{ id: 1 }]]);
  });
});
