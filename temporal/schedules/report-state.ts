import { ConfigurationError, MediaServiceError } from '../../api/errors';
import { isJsonObject } from '../../api/json';
import type { SeenRecords } from '../../reports/late/seen-records';
import type { Window } from '../../reports/period/window';

/**
 * What a schedule remembers between its runs: how far each target was told, and of which failed records. Targets that stand at the same point share a
 * cursor, so that one report serves them all; a target that could not be reached falls behind alone and is given its whole window later.
 */
export interface ReportState {
  readonly schema: 1;
  readonly schedule: string;
  readonly accountId: string;
  readonly cursors: readonly ReportCursor[];
}

export interface ReportCursor {
  /** Where the first window began, ISO 8601. */
  readonly since: string;
  /** End of the last window that arrived, ISO 8601; `since` where none has. */
  readonly deliveredTo: string;
  readonly seen: SeenRecords;
  /** Keys of targets. */
  readonly targets: readonly string[];
}

export function cursorOf(state: ReportState | undefined, target: string): ReportCursor | undefined {
  return state?.cursors.find(({ targets }) => targets.includes(target));
}

/** The state with a cursor for targets that have none: from now on nothing that was sent after `since` is left out, although the first report may fail. */
export function withTargets(state: ReportState, targets: readonly string[], since: string): ReportState {
  const added = targets.filter((target) => cursorOf(state, target) === undefined);
  if (added.length === 0) return state;
  const cursor = { since, deliveredTo: since, seen: { groups: [], complete: true }, targets: added };
  return { ...state, cursors: [...state.cursors, cursor] };
}

export interface Delivery {
  readonly target: string;
  readonly window: Window;
  /** How far the target had been told when the window was planned; unset: never. */
  readonly deliveredTo?: string;
  readonly seen: SeenRecords;
}

/**
 * The state once the window has arrived at the target. Noting a delivery again changes nothing. Throws `InputDiffers` where another run has moved the
 * target meanwhile: the two would have told it the same twice, or left something out.
 */
export function withDelivery(
  state: ReportState,
  { target, window, deliveredTo, seen }: Delivery,
): ReportState {
  const cursor = cursorOf(state, target);
  if (cursor?.deliveredTo === window.to) return state;
  if (cursor?.deliveredTo !== deliveredTo) throw movedMeanwhile(target, cursor?.deliveredTo);
  const since = cursor?.since ?? window.from;
  const left = state.cursors.flatMap((each) => {
    const targets = each.targets.filter((key) => key !== target);
    return targets.length === 0 ? [] : [{ ...each, targets }];
  });
  const there = left.find((each) => each.deliveredTo === window.to && sameSeen(each, since, seen));
  const moved: ReportCursor = there ?? { since, deliveredTo: window.to, seen, targets: [] };
  return {
    ...state,
    cursors: [...left.filter((each) => each !== there), { ...moved, targets: [...moved.targets, target] }],
  };
}

function sameSeen(cursor: ReportCursor, since: string, seen: SeenRecords): boolean {
  return cursor.since === since && JSON.stringify(cursor.seen) === JSON.stringify(seen);
}

/** Reads what `JSON.stringify` made of a state. Throws `Configuration` where it is none, or another schedule's. */
export function parseState(
  text: string,
  { schedule, accountId, place }: { schedule: string; accountId: string; place: string },
): ReportState {
  const state = readJson(text);
  if (!isReportState(state)) {
    throw new ConfigurationError(
      'state',
      `${place} holds no state of a report's schedule`,
      'Name another place with --state, or restore the file: without it the next report begins one period back.',
    );
  }
  if (state.schedule === schedule && state.accountId === accountId) return state;
  throw new ConfigurationError(
    'state',
    `${place} is the state of the schedule "${state.schedule}" of ${state.accountId}`,
    'Give each schedule a state of its own: --state.',
  );
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function movedMeanwhile(target: string, deliveredTo: string | undefined): MediaServiceError {
  return new MediaServiceError(
    'InputDiffers',
    `another run told ${target} of everything up to ${deliveredTo ?? 'an unknown time'} while this one was at work`,
    {
      outcome: 'refused',
      hint: 'Let one schedule alone use this state; the next run goes on where the other ended.',
    },
  );
}
