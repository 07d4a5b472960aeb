import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { JsonObject } from '../../../../../api/json';
import { newMedia } from '../../../../../nodes/MediaServiceTrigger/events/new-media';
import type { TriggerEvent } from '../../../../../nodes/MediaServiceTrigger/events/trigger-event';
import { fakeClock } from '../../../api/fake-clock';
import { startScriptedService } from '../../../api/scripted-service';
import type { ScriptedService, SeenCall } from '../../../api/scripted-service';

const PAGE = 1000;
/** Number of searches whose two pages shift. */
const SHIFTING = 8;

let scripted: ScriptedService;
let searches: number;
beforeEach(async () => {
  scripted = await startScriptedService(fakeClock());
  searches = 0;
});
afterEach(() => scripted.close());

const mediaOf = (count: number): JsonObject[] =>
  Array.from({ length: count }, (_, index) => ({ id: `media-${index}` }));
const ALL = mediaOf(PAGE + SHIFTING);

/**
 * A page of a service that announces no totals and changes the order of its media each time, so that each of the first
 * searches skips some.
 */
function shiftingPage({ query }: SeenCall): JsonObject[] {
  const page = Number(query.get('page'));
  if (page === 0) searches += 1;
  if (searches > SHIFTING) return ALL.slice(page * PAGE, (page + 1) * PAGE);
  const skipped = ALL[ALL.length - searches];
  return ALL.filter((media) => media !== skipped).slice(page * PAGE, (page + 1) * PAGE);
}

function openEvent(): TriggerEvent {
  const { signal } = new AbortController();
  return newMedia(scripted.service, { filter: {}, present: (item) => item, limit: 100, signal });
}

test('media that the first poll missed while pages shifted are read again, and never come as new', async () => {
  // Three passes skip only the newest media. The passes of one reading are too few to see it.
  scripted.operation = ({ query }) => {
    const page = Number(query.get('page'));
    if (page === 0) searches += 1;
    const hidden = searches <= 3 ? [ALL.at(-1), ALL.at(-1 - searches)] : [];
    return { body: ALL.filter((media) => !hidden.includes(media)).slice(page * PAGE, (page + 1) * PAGE) };
  };
  const event = openEvent();
  const first = await event.poll(undefined);
  expect(first.items).toEqual([]);
  expect((await event.poll(first.state)).items).toEqual([]);
});

test('pages that keep shifting do not keep the trigger from starting', async () => {
  scripted.operation = (call) => ({ body: shiftingPage(call) });
  const event = openEvent();
  const { state } = await event.poll(undefined);
  expect(searches).toBeGreaterThan(3);
  expect((await event.poll(state)).items).toEqual([]);
});
