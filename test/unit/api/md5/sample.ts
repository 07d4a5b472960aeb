import { createHash, randomBytes } from 'node:crypto';
import { LaneMemory, type Lane } from '../../../../api/md5/lane-memory';

const POOL = randomBytes(8 * 1024 * 1024);

/** Returns the same bytes for the same arguments within a run. */
export function sample(bytes: number, number: number): Buffer {
  const from = (number * 7_919) % (POOL.byteLength - bytes);
  return POOL.subarray(from, from + bytes);
}

export function md5Of(content: Uint8Array): string {
  return createHash('md5').update(content).digest('hex');
}

/** Records which lanes were hashed side by side, and how many are in use. */
export class WatchedMemory extends LaneMemory {
  readonly widths: number[] = [];
  taken = 0;

  override take(): Lane | undefined {
    const lane = super.take();
    if (lane !== undefined) this.taken += 1;
    return lane;
  }

  override release(lane: Lane): void {
    this.taken -= 1;
    super.release(lane);
  }

  override hash(lanes: readonly Lane[], blocks: number): void {
    this.widths.push(lanes.length);
    super.hash(lanes, blocks);
  }
}
