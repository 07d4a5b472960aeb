import type { JsonObject } from '../../../api/json';
import type { EventPoll, TriggerEvent } from '../events/trigger-event';
import { cursorAt, cursorJson, readCursor } from './cursor';
import { newestExample } from './newest-example';
import { pollPeriods, startNow } from './poll-period';
import type { PeriodSource, PollLimits } from './poll-period';

export interface PollSettings extends PollLimits {
  /** Where the first poll begins, epoch ms. Unset: now. */
  readonly startAt?: number;
  /** As the user wrote it. A changed value restarts the trigger. */
  readonly startFrom: string;
}

/** How many days "Fetch Test Event" looks back. */
const EXAMPLE_DAYS = 30;

/** An event for items that can be queried by the time when they were sent. */
export function periodEvent(
  source: PeriodSource<JsonObject>,
  settings: PollSettings,
  asks: JsonObject,
): TriggerEvent {
  return {
    asks: { ...asks, startFrom: settings.startFrom },
    poll: (state) => pollOnce(source, settings, state),
    async example() {
      const newest = await newestExample(source, settings, EXAMPLE_DAYS);
      return newest === undefined ? undefined : withMark(newest, false);
    },
  };
}

async function pollOnce(
  source: PeriodSource<JsonObject>,
  settings: PollSettings,
  state: unknown,
): Promise<EventPoll> {
  const stored = readCursor(state);
  if (stored === undefined && settings.startAt === undefined) {
    return { state: cursorJson(await startNow(source, settings)), items: [] };
  }
  const cursor = stored ?? cursorAt(settings.startAt ?? settings.now());
  const newItems = await pollPeriods(source, cursor, settings);
  return {
    state: cursorJson(newItems.cursor),
    items: newItems.items.map(({ value, late }) => withMark(value, late)),
  };
}

function withMark(value: JsonObject, arrivedLate: boolean): JsonObject {
  return { ...value, arrivedLate };
}
