import { stat, statfs } from 'node:fs/promises';

interface DiskSpace {
  /** Bytes that this user can still write. */
  readonly free: number;
  /** Size of the whole disk. */
  readonly total: number;
}

/** Room that is reserved for a running copy. */
export interface Reservation {
  /** Reserves more; rejects with `NoRoom`. */
  grow(bytes: number): Promise<void>;
  /** Reports that these bytes are on the disk, so that its free space shows them. */
  written(bytes: number): void;
  /** What is reserved but not written yet. */
  left(): number;
  release(): void;
}

/** There is too little room for more copies at the moment. */
export class NoRoom extends Error {
  constructor(
    readonly needed: number,
    readonly space: DiskSpace,
    /** What other running copies will still write. */
    readonly promised: number,
  ) {
    super('no room');
  }
}

/** Kept free in addition to all copies. */
export const SPARE_BYTES = 64 * 1024 * 1024;

/**
 * The room of one disk for the copies of this process. Room that is reserved for one copy is not given to another, even
 * before it is written. Other processes count only once they have written.
 */
export class SpoolRoom {
  private readonly running = new Set<Reservation>();
  /** The last measurement. They run one after the other, so that no room is reserved twice. */
  private last: Promise<unknown> = Promise.resolve();

  /** Rejects with `NoRoom`. */
  async reserve(bytes: number, measure: () => Promise<DiskSpace>): Promise<Reservation> {
    let left = 0;
    const take = (more: number): Promise<void> =>
      this.inTurn(async () => {
        // Summed up before the measurement: bytes written meanwhile may count twice, but never not at all.
        const promised = [...this.running].reduce((sum, one) => sum + one.left(), 0);
        const space = await measure();
        if (space.free - SPARE_BYTES - promised < more) throw new NoRoom(more, space, promised);
        left += more;
        this.running.add(reservation);
      });
    const reservation: Reservation = {
      grow: take,
      written: (written) => {
        left = Math.max(0, left - written);
      },
      left: () => left,
      release: () => {
        this.running.delete(reservation);
      },
    };
    await take(bytes);
    return reservation;
  }

  private inTurn<T>(act: () => Promise<T>): Promise<T> {
    const turn = this.last.then(act, act);
    // The caller gets the failure; the next measurement runs all the same.
    this.last = turn.catch(() => undefined);
    return turn;
  }
}

/** By disk: all copies of this process share them. */
const rooms = new Map<bigint, SpoolRoom>();

/** Reserves room on the disk of a folder. Rejects with `NoRoom`. */
export async function reserveIn(folder: string, bytes: number): Promise<Reservation> {
  const { dev } = await stat(folder, { bigint: true });
  const room = rooms.get(dev) ?? new SpoolRoom();
  rooms.set(dev, room);
  return room.reserve(bytes, async () => {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { free: bavail * bsize, total: blocks * bsize };
  });
}
