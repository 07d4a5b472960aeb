import type { FaultBook } from './faults/fault-book';
import type { Gates } from './faults/gates';
import type { TokenRegistry } from './login/tokens';
import type { MediaItem } from './media/media-item';
import type { Settings } from './options';
import type { Recorder } from './control/recorder';
import type { ShapeChoice } from './shapes/shapes';
import type { Storage } from './storage/storage';
import type { SessionRegistry } from './uploads/session-registry';
import type { Delivery } from './webhooks/delivery';

/** The whole state of a running simulator. Every handler gets it. */
export interface SimulatorState {
  readonly settings: Settings;
  /** A login can be signed with any of them. */
  secretKeys: readonly string[];
  readonly shapes: ShapeChoice;
  readonly faults: FaultBook;
  readonly recorder: Recorder;
  readonly gates: Gates;
  /** When the line of the fault `put-slow-line` has carried all bytes so far, epoch ms. */
  lineFreeAt: number;
  /** Number of service calls so far. */
  calls: number;
  readonly tokens: TokenRegistry;
  /** In the order of their creation. */
  readonly media: MediaItem[];
  /** In the order in which they were sent. */
  readonly deliveries: Delivery[];
  readonly sessions: SessionRegistry;
  readonly storage: Storage;
  /** Target of redirect faults. Requests to it are recorded. */
  readonly redirectTarget: string;
  /** Aborts when the simulator closes. */
  readonly closing: AbortSignal;
}
