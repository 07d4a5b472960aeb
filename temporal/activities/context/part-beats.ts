import type { Info } from '@temporalio/activity';
import type { PartUrl } from '../../../api/upload/upload-steps';
import type { PartHeartbeat, Sealed } from '../../contract';
import { beatIntervalMs } from './in-activity';

/** What is used of an activity's context. */
export interface Beating {
  heartbeat(details?: unknown): void;
  readonly info: Pick<Info, 'heartbeatTimeoutMs' | 'heartbeatDetails'>;
}

export interface PartBeats {
  readonly onBytes: (bytesSoFar: number) => void;
  /** Bytes are held back on purpose: that is no stall. */
  readonly onPacing: (waiting: boolean) => void;
  /** Keeps a fresh URL for the next try, over the loss of this worker too. */
  readonly keep: (url: PartUrl<Sealed>) => void;
  readonly stop: () => void;
}

/**
 * Heartbeats of one part: at each interval (the first one included, so that fast parts cost none) if bytes went out since the last one, or
 * if none are due (waiting for bandwidth, for a URL, a permit or storage's answer; a PUT that failed counts from 0 again). A part that stalls does not beat.
 */
export function startPartBeats(context: Beating, total: number, url?: PartUrl<Sealed>): PartBeats {
  let bytes = 0;
  let beaten = 0;
  let pacing = false;
  let kept = url;
  const beat = (): void => {
    beaten = bytes;
    context.heartbeat({ bytes, ...(kept === undefined ? {} : { url: kept }) } satisfies PartHeartbeat);
  };
  const timer = setInterval(() => {
    if (pacing || bytes !== beaten || bytes === 0 || bytes >= total) beat();
  }, beatIntervalMs(context));
  return {
    onBytes: (bytesSoFar) => {
      bytes = bytesSoFar;
    },
    onPacing: (waiting) => {
      pacing = waiting;
    },
    keep: (fresh) => {
      kept = fresh;
      beat();
    },
    stop: () => clearInterval(timer),
  };
}

/** The URL that an earlier try of this part asked for. */
export function keptUrl({ info }: Beating): PartUrl<Sealed> | undefined {
  const details: unknown = info.heartbeatDetails;
  return isPartHeartbeat(details) ? details.url : undefined;
}

function isPartHeartbeat(details: unknown): details is PartHeartbeat {
  return typeof details === 'object' && details !== null && 'bytes' in details;
}
