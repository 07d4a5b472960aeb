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

/** All that one running simulator knows; every handler gets it. */
export interface World {
  readonly settings: Settings;
  /** Any of them signs a login. */
  secretKeys: readonly string[];
  readonly shapes: ShapeChoice;
  readonly faults: FaultBook;
  readonly recorder: Recorder;
  readonly gates: Gates;
  /** Calls of the service so far. */
  calls: number;
  readonly tokens: TokenRegistry;
  /** In the order of their creation. */
  readonly media: MediaItem[];
  /** In the order of their sending. */
  readonly deliveries: Delivery[];
  readonly sessions: SessionRegistry;
  readonly storage: Storage;
  /** Where redirect faults send the client; whoever arrives there is recorded. */
  readonly redirectTarget: string;
  /** Aborts when the simulator closes. */
  readonly closing: AbortSignal;
}
