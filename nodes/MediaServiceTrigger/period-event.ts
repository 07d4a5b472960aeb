import { HOUR_MS } from '../../api/clock';
import type { JsonObject } from '../../api/json';
import { cursorAt, readCursor } from './cursor';
import { pollPeriod, startNow } from './poll-period';
import type { PeriodSource, PollLimits } from './poll-period';

/** One choice of the parameter "Event", opened for one poll. */
export interface TriggerEvent {
  /** The parameters of the event. If they differ from those of the stored state, the trigger starts again. */
  readonly asks: JsonObject;
  /**
   * The new items since `state`, and the state after them. `state` is undefined at the first poll. A failure rejects
   * and changes nothing.
   */
  poll(state: unknown): Promise<EventPoll>;
  /** The newest existing item for "Fetch Test Event", or undefined if there is none. */
  example(): Promise<JsonObject | undefined>;
}

interface EventPoll {
  readonly state: JsonObject;
  /** In the order of the output. */
  readonly items: readonly JsonObject[];
}

export interface PollSettings extends PollLimits {
  /** Where the first poll begins, epoch ms. Unset: now. */
  readonly startAt?: number;
  /** As the user wrote it. A changed value restarts the trigger. */
  readonly startFrom: string;
}

/** "Fetch Test Event" looks back further and further. */
const EXAMPLE_HOURS = [1 / 60, 1, 24, 7 * 24, 30 * 24];
const MAX_EXAMPLES = 20_000;

/** An event for items that can be queried by the time when they were sent. */
export function periodEvent(
  source: PeriodSource<JsonObject>,
  settings: PollSettings,
  asks: JsonObject,
): TriggerEvent {
  return {
    asks: { ...asks, startFrom: settings.startFrom },
    poll: (state) => pollOnce(source, settings, state),
    example: () => newestExample(source, settings),
  };
}

async function pollOnce(
  source: PeriodSource<JsonObject>,
  settings: PollSettings,
  state: unknown,
): Promise<EventPoll> {
  const stored = readCursor(state);
  if (stored === undefined && settings.startAt === undefined) {
    return { state: await startNow(source, settings), items: [] };
  }
  const begin = stored ?? cursorAt(settings.startAt ?? settings.now());
  const { cursor, items } = await pollPeriod(source, begin, settings);
  return { state: cursor, items: items.map(({ value, late }) => ({ ...value, arrivedLate: late })) };
}

/** The newest item of the last days, by the clock of the service. */
async function newestExample(
  source: PeriodSource<JsonObject>,
  { now, signal }: PollSettings,
): Promise<JsonObject | undefined> {
  let to = now();
  for (const hours of EXAMPLE_HOURS) {
    const read = await source.read({ from: to - hours * HOUR_MS, to }, MAX_EXAMPLES, signal);
    if (read === 'tooMany') break;
    const [newest] = [...read.found].sort((a, b) => (b.at ?? 0) - (a.at ?? 0));
    if (newest !== undefined) return { ...newest.value, arrivedLate: false };
    to = Math.max(to, read.serviceNow ?? to);
  }
  return undefined;
}
