import type { JsonObject } from '../../../api/json';
import type { EventPoll, TriggerEvent } from '../trigger-event';
import { cursorAt, cursorJson, readCursor } from './cursor';
import { newestExample } from './newest-example';
import { pollWindows, startNow } from './poll-window';
import type { WindowLimits, WindowSource } from './poll-window';

export interface WindowSettings extends WindowLimits {
  /** Where the first poll begins, epoch ms; unset: now. */
  readonly startAt?: number;
  /** As the user wrote it: another start is another question. */
  readonly startFrom: string;
}

/** How far "Fetch Test Event" looks back. */
const EXAMPLE_DAYS = 30;

/** An event of things that can be asked for by the time of their sending. */
export function windowEvent(
  source: WindowSource<JsonObject>,
  settings: WindowSettings,
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
  source: WindowSource<JsonObject>,
  settings: WindowSettings,
  state: unknown,
): Promise<EventPoll> {
  const stored = readCursor(state);
  if (stored === undefined && settings.startAt === undefined) {
    return { state: cursorJson(await startNow(source, settings)), items: [] };
  }
  const cursor = stored ?? cursorAt(settings.startAt ?? settings.now());
  const taken = await pollWindows(source, cursor, settings);
  return {
    state: cursorJson(taken.cursor),
    items: taken.fresh.map(({ value, late }) => withMark(value, late)),
  };
}

function withMark(value: JsonObject, arrivedLate: boolean): JsonObject {
  return { ...value, arrivedLate };
}
