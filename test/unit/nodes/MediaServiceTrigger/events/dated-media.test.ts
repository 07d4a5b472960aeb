import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { JsonObject } from '../../../../../api/json';
import { datedMedia } from '../../../../../nodes/MediaServiceTrigger/events/dated-media';
import type { TriggerEvent } from '../../../../../nodes/MediaServiceTrigger/events/trigger-event';
import { fakeClock } from '../../../api/fake-clock';
import { startScriptedService } from '../../../api/scripted-service';
import type { ScriptedService, SeenCall } from '../../../api/scripted-service';

const MINUTE_MS = 60_000;
const clock = fakeClock();
const now = clock.now();

let scripted: ScriptedService;
/** In the service's own order. */
let media: JsonObject[];
beforeEach(async () => {
  scripted = await startScriptedService(clock);
  media = [];
  scripted.operation = (call) => ({ body: pageOf(call) });
});
afterEach(() => scripted.close());

/** A page of a service that announces no totals. */
function pageOf({ query }: SeenCall): JsonObject[] {
  const [page, size] = [Number(query.get('page')), Number(query.get('size'))];
  return media.slice(page * size, (page + 1) * size);
}

const mediaAgo = (id: string, minutes: number): JsonObject => ({
  id,
  createdAt: new Date(now - minutes * MINUTE_MS).toISOString(),
});

function openEvent(startMinutesAgo: number): TriggerEvent {
  return datedMedia(
    scripted.service,
    { filter: {}, dateProperty: 'createdAt', present: (item) => item },
    {
      startFrom: `-${startMinutesAgo}m`,
      startAt: now - startMinutesAgo * MINUTE_MS,
      overlapMs: MINUTE_MS,
      maxNewItems: 5000,
      maxSeen: 5000,
      now: () => clock.now(),
      signal: new AbortController().signal,
    },
  );
}

test('a service that returns the oldest media first against the request is an error, never silence', async () => {
  media = [mediaAgo('old', 500), mediaAgo('older than asked', 400), mediaAgo('new', 5)];
  await expect(openEvent(60).poll(undefined)).rejects.toMatchObject({
    code: 'UnreadableAnswer',
    message: expect.stringContaining('"createdAt"'),
    facts: { hint: expect.stringContaining('Sort Separator') },
  });
  await expect(openEvent(60).example()).rejects.toThrow('newest first');
});

test('media of the same time may come in any order', async () => {
  media = [mediaAgo('b', 5), mediaAgo('a', 5), mediaAgo('old', 500)];
  expect((await openEvent(60).poll(undefined)).items.map(({ id }) => id)).toEqual(['b', 'a']);
});

test('media that a removal hides from a page are found, even if the period is smaller than a page', async () => {
  const newer = Array.from({ length: 700 }, (_, index) => mediaAgo(`newer-${index}`, -5));
  const wanted = Array.from({ length: 500 }, (_, index) => mediaAgo(`wanted-${index}`, 5));
  media = [...newer, ...wanted, mediaAgo('old', 500)];
  scripted.operation = (call) => {
    const body = pageOf(call);
    if (scripted.calls.length === 1) media = media.slice(1);
    return { body };
  };
  const { items } = await openEvent(60).poll(undefined);
  const ids = new Set(items.map(({ id }) => id));
  expect(wanted.filter(({ id }) => ids.has(id))).toHaveLength(500);
});
