import { MediaServiceError } from '../../../../../api/errors';
import type { StepFailure } from '../../../../../api/upload/upload-steps';
import type { InputOutcome } from '../../../../../temporal/contract/groups';
import { Gatherer } from '../../../../../temporal/workflows/groups/gatherer';
import type {
  Departure,
  GathererDriver,
  GroupEnd,
  GroupLimits,
} from '../../../../../temporal/workflows/groups/gatherer';

export interface Kinds {
  work: { readonly input: Input; readonly value: string };
  other: { readonly input: Input; readonly value: string };
}

export interface Input {
  readonly id: number;
}

export const FAILURE: StepFailure = { code: 'ServiceFailed', message: 'The service failed.', facts: {} };

export interface SentGroup {
  readonly departure: Departure;
  readonly ids: readonly number[];
  cancelled: boolean;
  ended: boolean;
  end(end: GroupEnd): void;
}

interface Timer {
  readonly at: number;
  fire(): void;
  cancelled: boolean;
}

/** Groups and time that move only when the test says so. */
export class GathererModel {
  now = 1_000_000_000;
  mayLeave = true;
  readonly sent: SentGroup[] = [];
  readonly settled = new Map<number, string[]>();
  private readonly timers: Timer[] = [];
  private called = 0;
  readonly gatherer: Gatherer<Kinds>;

  constructor(limits: Partial<GroupLimits> = {}) {
    const all: GroupLimits = {
      ...{ maxGroups: 2, maxInputs: 4, maxBytes: 100, retryForMs: 86_400_000, maxBackoffMs: 60_000 },
      ...limits,
    };
    const driver: GathererDriver = {
      now: () => this.now,
      limitsOf: () => all,
      mayLeave: () => this.mayLeave,
      onChange: () => undefined,
      send: (departure) => this.send(departure),
      startTimer: (ms) => this.startTimer(ms),
    };
    this.gatherer = new Gatherer<Kinds>(driver);
  }

  private send(departure: Departure): ReturnType<GathererDriver['send']> {
    let settle: (end: GroupEnd) => void = () => undefined;
    const end = new Promise<GroupEnd>((resolve) => (settle = resolve));
    const group: SentGroup = {
      departure,
      ids: departure.inputs.map(({ input }) => (input as Input).id),
      cancelled: false,
      ended: false,
      end(result) {
        group.ended = true;
        settle(result);
      },
    };
    this.sent.push(group);
    return { end, cancel: () => (group.cancelled = true) };
  }

  private startTimer(ms: number): ReturnType<GathererDriver['startTimer']> {
    let fire: () => void = () => undefined;
    const over = new Promise<void>((resolve) => (fire = resolve));
    const timer: Timer = { at: this.now + ms, fire: () => fire(), cancelled: false };
    this.timers.push(timer);
    return { over, cancel: () => (timer.cancelled = true) };
  }

  /** Times of the timers that are set now. */
  waits(): number[] {
    return this.timers.filter(({ cancelled }) => !cancelled).map(({ at }) => at);
  }

  /** Lets time pass until the next timer fires. Returns false if none is set. */
  async passTime(): Promise<boolean> {
    const next = this.timers.filter(({ cancelled }) => !cancelled).sort((a, b) => a.at - b.at)[0];
    if (next === undefined) return false;
    this.now = Math.max(this.now, next.at);
    next.cancelled = true;
    next.fire();
    await settle();
    return true;
  }

  call(
    more: {
      kind?: keyof Kinds;
      queue?: string;
      bytes?: number;
      owner?: object;
      pauseMs?: number | undefined;
    } = {},
  ): {
    readonly id: number;
    readonly result: Promise<string>;
  } {
    const { kind = 'work', queue = 'q', bytes = 1, owner = this, pauseMs } = more;
    this.called += 1;
    const id = this.called;
    const pause = pauseMs === undefined ? {} : { pause: { ms: pauseMs, reason: FAILURE } };
    const result = this.gatherer.call(kind, { queue, input: { id }, bytes, owner, ...pause });
    this.settled.set(id, []);
    const note = (text: string): void => void this.settled.get(id)?.push(text);
    result.then(note, (error: unknown) =>
      note(error instanceof MediaServiceError ? error.code : `not ours: ${String(error)}`),
    );
    return { id, result };
  }

  running(): SentGroup[] {
    return this.sent.filter(({ ended }) => !ended);
  }

  /** Ends a group with a value for each of its inputs. */
  async succeed(group: SentGroup | undefined): Promise<void> {
    await this.end(group, { outcomes: (group?.ids ?? []).map(valueOf) });
  }

  async end(group: SentGroup | undefined, end: GroupEnd): Promise<void> {
    if (group === undefined) throw new Error('There is no such group.');
    group.end(end);
    await settle();
  }

  /** Ends everything that runs successfully, until nothing is left. */
  async finish(): Promise<void> {
    this.mayLeave = true;
    this.gatherer.resume();
    await settle();
    for (;;) {
      const [group] = this.running();
      if (group !== undefined) await this.succeed(group);
      else if (!(await this.passTime())) return;
    }
  }
}

export function valueOf(id: number): InputOutcome {
  return { value: `value ${String(id)}` };
}

/** Runs everything that follows from the last action. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 40; turn += 1) await Promise.resolve();
}
