import { FaultBook } from './faults/fault-book';
import { Gates } from './faults/gates';
import { TokenRegistry } from './login/tokens';
import type { Settings } from './options';
import { Recorder } from './control/recorder';
import { seedDeliveries } from './seed/seed-deliveries';
import { seedMedia } from './seed/seed-media';
import type { ShapeChoice } from './shapes/shapes';
import type { Storage } from './storage/storage';
import { SessionRegistry } from './uploads/session-registry';
import type { SimulatorState } from './state';

/** The parts of a state. */
interface StateParts {
  readonly settings: Settings;
  readonly shapes: ShapeChoice;
  readonly storage: Storage;
  readonly redirectTarget: string;
  readonly closing: AbortSignal;
}

/** A new state with seed data, no armed faults and no recorded requests. */
export function createState({
  settings,
  shapes,
  storage,
  redirectTarget,
  closing,
}: StateParts): SimulatorState {
  const { now, seed, subAccounts, tokenTtlMs } = settings;
  const recorder = new Recorder(now);
  const media = seedMedia(seed.media, { now: now(), subAccounts });
  const faults = new FaultBook(({ definition: { name } }, { operation, part, uploadId }) => {
    recorder.faults[name] = (recorder.faults[name] ?? 0) + 1;
    recorder.emit('fault', {
      fault: name,
      operation,
      ...(part === undefined ? {} : { part }),
      ...(uploadId === undefined ? {} : { uploadId }),
    });
  });
  return {
    settings,
    secretKeys: [settings.account.secretKey],
    shapes,
    faults,
    recorder,
    gates: new Gates(),
    lineFreeAt: 0,
    calls: 0,
    tokens: new TokenRegistry({ ttlMs: tokenTtlMs, opaque: shapes.has('token-opaque'), now }),
    media,
    deliveries: seedDeliveries(seed.deliveries, { now: now(), media, subAccounts }),
    sessions: new SessionRegistry(),
    storage,
    redirectTarget,
    closing,
  };
}
