import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { GroupEnd } from '../../../../../temporal/workflows/groups/gatherer';
import { FAILURE, settle, valueOf, GathererModel } from './gatherer-model';
import type { SentGroup } from './gatherer-model';

const OWNERS = [{ name: 'a' }, { name: 'b' }];
const QUEUES = ['here', 'there'];

const limits = fc.record({
  maxGroups: fc.integer({ min: 1, max: 4 }),
  maxInputs: fc.integer({ min: 1, max: 6 }),
  maxBytes: fc.integer({ min: 1, max: 60 }),
  concurrency: fc.integer({ min: 1, max: 9 }),
});

const outcome = fc.constantFrom('value', 'failure', 'again', 'alone', 'unknown');
const calling = fc.record({
  do: fc.constant('call' as const),
  queue: fc.constantFrom(...QUEUES),
  owner: fc.constantFrom(...OWNERS),
  bytes: fc.integer({ min: 0, max: 30 }),
  /** Other calls follow in the same turn. */
  more: fc.boolean(),
  pauseMs: fc.option(fc.integer({ min: 0, max: 40_000 }), { nil: undefined, freq: 6 }),
});
const ending = fc.record({
  do: fc.constant('end' as const),
  which: fc.nat(10),
  outcomes: fc.array(outcome, { minLength: 6, maxLength: 6 }),
  then: fc.constantFrom('fail' as const, 'again' as const, 'divide' as const),
  afterMs: fc.integer({ min: 0, max: 90_000 }),
});
const abandoning = fc.record({ do: fc.constant('abandon' as const), owner: fc.constantFrom(...OWNERS) });
const other = fc.record({
  do: fc.constantFrom('pass' as const, 'resume' as const, 'resume' as const, 'pause' as const),
});
const step = fc.oneof(
  { weight: 12, arbitrary: calling },
  { weight: 3, arbitrary: ending },
  { weight: 2, arbitrary: abandoning },
  { weight: 2, arbitrary: other },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function endOf(group: SentGroup, { outcomes, then, afterMs }: Extract<Step, { do: 'end' }>): GroupEnd {
  return {
    outcomes: group.ids.map((id, index) => {
      switch (outcomes[index]) {
        case 'value':
          return valueOf(id);
        case 'failure':
          return { failure: FAILURE };
        case 'again':
          return { again: { tries: 1, afterMs, failure: FAILURE } };
        case 'alone':
          return { again: { tries: 2, alone: true } };
        default:
          return undefined;
      }
    }),
    rest: { then, failure: FAILURE },
  };
}

async function take(model: GathererModel, one: Step): Promise<void> {
  switch (one.do) {
    case 'call':
      model.call(one);
      if (one.more) return;
      break;
    case 'end': {
      const running = model.running();
      const group = running[one.which % Math.max(1, running.length)];
      if (group !== undefined) group.end(endOf(group, one));
      break;
    }
    case 'abandon':
      model.gatherer.abandon(one.owner);
      break;
    case 'pass':
      await model.passTime();
      break;
    case 'pause':
    case 'resume':
      model.mayLeave = one.do === 'resume';
      model.gatherer.resume();
  }
  await settle();
}

async function story(
  bounds: ConstructorParameters<typeof GathererModel>[0],
  steps: readonly Step[],
  check: (model: GathererModel) => void = () => undefined,
): Promise<GathererModel> {
  const model = new GathererModel(bounds);
  for (const one of steps) {
    await take(model, one);
    check(model);
  }
  await model.finish();
  check(model);
  return model;
}

const stories = [limits, fc.array(step, { minLength: 1, maxLength: 60, size: 'max' })] as const;

describe('in any order of calls, ends, failures, abandoned calls and pauses', () => {
  it('every call gets its own outcome, exactly once', async () => {
    await fc.assert(
      fc.asyncProperty(...stories, async (bounds, steps) => {
        const model = await story(bounds, steps);
        for (const [id, ends] of model.settled) {
          expect(ends).toHaveLength(1);
          expect([`value ${String(id)}`, FAILURE.code, 'Cancelled']).toContain(ends[0]);
        }
        expect(model.waits()).toEqual([]);
      }),
    );
  });

  it('no limit is exceeded', async () => {
    await fc.assert(
      fc.asyncProperty(...stories, async (bounds, steps) => {
        const bytes = new Map<number, number>();
        let calls = 0;
        for (const one of steps) if (one.do === 'call') bytes.set((calls += 1), one.bytes);
        await story(bounds, steps, (model) => {
          for (const queue of QUEUES) {
            const running = model.running().filter(({ departure }) => departure.queue === queue);
            expect(running.length).toBeLessThanOrEqual(bounds.maxGroups);
            const atOnce = running.reduce((sum, { departure }) => sum + (departure.concurrency ?? 0), 0);
            expect(atOnce).toBeLessThanOrEqual(bounds.concurrency);
          }
          for (const { ids, departure } of model.running()) {
            const size = ids.reduce((sum, id) => sum + (bytes.get(id) ?? 0), 0);
            expect(ids.length).toBeLessThanOrEqual(bounds.maxInputs);
            expect(ids.length === 1 || size <= bounds.maxBytes).toBe(true);
            expect(departure.concurrency).toBeGreaterThan(0);
          }
        });
      }),
    );
  });

  it('an input runs only once at a time', async () => {
    await fc.assert(
      fc.asyncProperty(...stories, async (bounds, steps) => {
        await story(bounds, steps, (model) => {
          const ids = model.running().flatMap((group) => group.ids);
          expect(new Set(ids).size).toBe(ids.length);
        });
      }),
    );
  });

  it('calls are first sent in their order', async () => {
    await fc.assert(
      fc.asyncProperty(...stories, async (bounds, steps) => {
        const plain = steps.filter((one) => one.do !== 'call' || one.pauseMs === undefined);
        const model = await story(bounds, plain);
        for (const queue of QUEUES) {
          const ids = model.sent
            .filter(({ departure }) => departure.queue === queue)
            .flatMap((group) => group.ids);
          const first = [...new Set(ids)];
          expect(first).toEqual([...first].sort((a, b) => a - b));
        }
      }),
    );
  });

  it('a group is cancelled only if nobody waits for any of its calls', async () => {
    await fc.assert(
      fc.asyncProperty(...stories, async (bounds, steps) => {
        const owners = new Map<number, object>();
        const abandoned = new Set<number>();
        const remaining = [...steps];
        await story(bounds, steps, (model) => {
          const done = remaining.shift();
          if (done?.do === 'call') owners.set(model.settled.size, done.owner);
          if (done?.do === 'abandon')
            for (const [id, owner] of owners) if (owner === done.owner) abandoned.add(id);
          const cancelled = model.running().filter((group) => group.cancelled);
          const waited = cancelled
            .flatMap(({ ids }) => ids)
            .filter((id) => model.settled.get(id)?.length === 0);
          expect(waited.filter((id) => !abandoned.has(id))).toEqual([]);
        });
      }),
    );
  });

  it('the same events give the same groups in the same order', async () => {
    await fc.assert(
      fc.asyncProperty(...stories, async (bounds, steps) => {
        const [one, other] = [await story(bounds, steps), await story(bounds, steps)];
        expect(other.sent.map(({ departure }) => departure)).toEqual(
          one.sent.map(({ departure }) => departure),
        );
      }),
    );
  });
});
