import { FaultBook, Gates } from './faults/fault-book';
import type { Settings } from './options';
import { Recorder } from './control/recorder';
import { seedDeliveries, seedMedia } from './seed';
import type { ShapeChoice } from './shapes/shapes';
import type { Storage } from './storage/storage';
import type { Session } from './uploads/session';

interface StateParts {
  readonly settings: Settings;
  readonly shapes: ShapeChoice;
  readonly storage: Storage;
  /** Target of redirect faults. Requests to it are recorded. */
  readonly redirectTarget: string;
  /** Aborts when the simulator closes. */
  readonly closing: AbortSignal;
}

/** The whole state of a running simulator. Every handler gets it. */
export type SimulatorState = ReturnType<typeof createState>;

/** A new state with seed data, no armed faults and no recorded requests. */
export function createState(parts: StateParts) {
  const { now, seed, subAccounts, account } = parts.settings;
  const recorder = new Recorder(now);
  const media = seedMedia(seed.media, { now: now(), subAccounts });
  const faults = new FaultBook(({ definition: { name } }, { operation, part, uploadId }) => {
    recorder.faults[name] = (recorder.faults[name] ?? 0) + 1;
    recorder.emit('fault', { fault: name, operation, part, uploadId });
  });
  return {
    ...parts,
    /** A login can be signed with any of them. */
    secretKeys: [account.secretKey] as readonly string[],
    faults,
    recorder,
    gates: new Gates(),
    /** When the line of the fault `put-slow-line` has carried all bytes so far, epoch ms. */
    lineFreeAt: 0,
    /** Takes this time, ms. Ends early when the simulator closes. */
    pause: (ms: number): Promise<void> => parts.settings.takeTime(ms, parts.closing),
    /** Number of service calls so far. */
    calls: 0,
    /** The access tokens that were issued: whose they are, and until when (epoch ms). */
    tokens: new Map<string, { readonly subAccountId: string; endsAt: number }>(),
    /** In the order of their creation. */
    media,
    /** In the order in which they were sent. */
    deliveries: seedDeliveries(seed.deliveries, { now: now(), media, subAccounts }),
    /** By uploadId. */
    sessions: new Map<string, Session>(),
    /** The same, by the id of storage. */
    sessionsOfStorage: new Map<string, Session>(),
  };
}
