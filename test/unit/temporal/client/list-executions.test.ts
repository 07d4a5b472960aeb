import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { listNewestStarts } from '../../../../temporal/client/list-executions';
import type { TemporalConnection } from '../../../../temporal/client/connect';

interface Run {
  readonly start: number;
  /** Undefined: it still runs. */
  readonly ranFor: number | undefined;
}

const endOf = ({ start, ranFor }: Run): number => (ranFor === undefined ? Infinity : start + ranFor);

/** A server that lists as Temporal does, and counts the entries that were read. */
function serverOf(runs: readonly Run[]): { connection: TemporalConnection; taken: () => number } {
  let taken = 0;
  const sorted = [...runs].sort((a, b) => (endOf(a) === endOf(b) ? 0 : endOf(b) - endOf(a)));
  function* list(): Generator<object> {
    for (const run of sorted) {
      taken += 1;
      const end = endOf(run);
      yield { startTime: new Date(run.start), closeTime: end === Infinity ? undefined : new Date(end) };
    }
  }
  return { connection: { lister: { workflow: { list } } } as never, taken: () => taken };
}

async function starts(connection: TemporalConnection, limit: number): Promise<number[]> {
  const listingOf = ({ startTime }: { readonly startTime: Date }): { startedAt: Date } => ({
    startedAt: startTime,
  });
  const found = await listNewestStarts(connection, '', { limit, listingOf });
  return found.map(({ startedAt }) => startedAt.getTime());
}

test('the newest starts are found whatever ended last', async () => {
  const run = fc.record({ start: fc.nat(1000), ranFor: fc.option(fc.nat(1000), { nil: undefined }) });
  await fc.assert(
    fc.asyncProperty(fc.array(run), fc.integer({ min: 1, max: 10 }), async (runs, limit) => {
      const expected = runs.map(({ start }) => start).sort((a, b) => b - a);
      expect(await starts(serverOf(runs).connection, limit)).toEqual(expected.slice(0, limit));
    }),
  );
});

test('the list is read only until nothing newer can follow', async () => {
  const runs = Array.from({ length: 5_000 }, (_unused, at) => ({ start: at * 10, ranFor: 15 }));
  const { connection, taken } = serverOf(runs);
  expect(await starts(connection, 3)).toEqual([49_990, 49_980, 49_970]);
  expect(taken()).toBeLessThan(10);
});
