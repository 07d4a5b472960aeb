import { ConfigurationError, MediaServiceError } from '../../api/errors';
import { isJsonObject, isTexts, parsedJson } from '../../api/json';
import type { SeenRecords } from '../../reports/late/seen-records';
import type { Period } from '../../reports/period/period';

/**
 * What a schedule remembers between its runs: for each target, how far it received reports, and of which failed
 * records. Targets at the same point share a cursor, so that one report serves them all. A target that could not be
 * reached gets its own cursor, and later receives its whole period.
 */
export interface ReportState {
  readonly schema: 1;
  readonly schedule: string;
  readonly accountId: string;
  readonly cursors: readonly ReportCursor[];
}

export interface ReportCursor {
  /** Start of the first period, ISO 8601. */
  readonly since: string;
  /** End of the last period that arrived, ISO 8601. `since` if none has arrived. */
  readonly deliveredTo: string;
  readonly seen: SeenRecords;
  /** Keys of targets. */
  readonly targets: readonly string[];
}

export function cursorOf(state: ReportState | undefined, target: string): ReportCursor | undefined {
  return state?.cursors.find(({ targets }) => targets.includes(target));
}

/**
 * The state with cursors for targets that have none. From now on, nothing sent after `since` is left out, even if the
 * first report fails.
 */
export function withTargets(state: ReportState, targets: readonly string[], since: string): ReportState {
  const added = targets.filter((target) => cursorOf(state, target) === undefined);
  if (added.length === 0) return state;
  const cursor = { since, deliveredTo: since, seen: { groups: [], complete: true }, targets: added };
  return { ...state, cursors: [...state.cursors, cursor] };
}

export interface Delivery {
  readonly target: string;
  readonly period: Period;
  /** End of the last period that the target had received when this one was planned. Unset: none. */
  readonly deliveredTo?: string;
  readonly seen: SeenRecords;
}

/**
 * The state after the period has arrived at the target. A repeated note changes nothing. Throws `InputDiffers` if
 * another run has moved the target's cursor meanwhile, because the two runs would report something twice or leave it
 * out.
 */
export function withDelivery(
  state: ReportState,
  { target, period, deliveredTo, seen }: Delivery,
): ReportState {
  const cursor = cursorOf(state, target);
  if (cursor?.deliveredTo === period.to) return state;
  if (cursor?.deliveredTo !== deliveredTo) throw movedMeanwhile(target, cursor?.deliveredTo);
  const since = cursor?.since ?? period.from;
  const left = state.cursors.flatMap((each) => {
    const targets = each.targets.filter((key) => key !== target);
    return targets.length === 0 ? [] : [{ ...each, targets }];
  });
  const there = left.find((each) => each.deliveredTo === period.to && sameSeen(each, since, seen));
  const moved: ReportCursor = there ?? { since, deliveredTo: period.to, seen, targets: [] };
  return {
    ...state,
    cursors: [...left.filter((each) => each !== there), { ...moved, targets: [...moved.targets, target] }],
  };
}

function sameSeen(cursor: ReportCursor, since: string, seen: SeenRecords): boolean {
  return cursor.since === since && JSON.stringify(cursor.seen) === JSON.stringify(seen);
}

/** Reads a state from its JSON. Throws `Configuration` if the text is not a state, or belongs to another schedule. */
export function parseState(
  text: string,
  { schedule, accountId, location }: { schedule: string; accountId: string; location: string },
): ReportState {
  const state = parsedJson(text);
  if (!isReportState(state)) {
    throw new ConfigurationError(
      'state',
      `${location} has no state of a report schedule`,
      'Name another file or object for the state, or restore this one: without it the next report begins one period back.',
    );
  }
  if (state.schedule === schedule && state.accountId === accountId) return state;
  throw new ConfigurationError(
    'state',
    `${location} is the state of the schedule "${state.schedule}" of ${state.accountId}`,
    'Give each schedule a state of its own.',
  );
}

function isReportState(value: unknown): value is ReportState {
  return (
    isJsonObject(value) &&
    value['schema'] === 1 &&
    typeof value['schedule'] === 'string' &&
    typeof value['accountId'] === 'string' &&
    Array.isArray(value['cursors']) &&
    value['cursors'].every(isCursor)
  );
}

function isCursor(value: unknown): value is ReportCursor {
  if (!isJsonObject(value) || !isJsonObject(value['seen'])) return false;
  const { since, deliveredTo, seen, targets } = value;
  return (
    [since, deliveredTo].every((iso) => typeof iso === 'string' && !Number.isNaN(Date.parse(iso))) &&
    isTexts(targets) &&
    typeof seen['complete'] === 'boolean' &&
    Array.isArray(seen['groups']) &&
    seen['groups'].every(
      (group) => isJsonObject(group) && typeof group['until'] === 'string' && isTexts(group['ids']),
    )
  );
}

function movedMeanwhile(target: string, deliveredTo: string | undefined): MediaServiceError {
  return new MediaServiceError(
    'InputDiffers',
    `another run already reported to ${target}, up to ${deliveredTo ?? 'an unknown time'}, while this run was working`,
    {
      outcome: 'refused',
      hint: 'Let only one schedule use this state; the next run continues where the other ended.',
    },
  );
}
