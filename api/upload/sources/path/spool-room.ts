import { stat, statfs } from 'node:fs/promises';

export interface DiskSpace {
  /** Bytes that this user can still write. */
  readonly free: number;
  /** Of the whole disk. */
  readonly total: number;
}

/** Room that a running copy was promised. */
export interface Reservation {
  /** Promises more; rejects with `NoRoom`. */
  grow(bytes: number): Promise<void>;
  /** These bytes lie on the disk by now: its free space shows them. */
  written(bytes: number): void;
  /** What was promised and is still to be written. */
  left(): number;
  release(): void;
}

/** There is too little room for more copies right now. */
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

/** Kept free besides all copies. */
export const SPARE_BYTES = 64 * 1024 * 1024;

/**
 * The room of one disk for copies of this process: what one copy is promised no other one is, though nothing of it is written yet. Other processes count once they
 * have written.
 */
export class SpoolRoom {
  private readonly running = new Set<Reservation>();
  /** One measurement after the other: two must not be promised the same room. */
  private last: Promise<unknown> = Promise.resolve();

  /** Rejects with `NoRoom`. */
  async reserve(bytes: number, measure: () => Promise<DiskSpace>): Promise<Reservation> {
    let left = 0;
    const take = (more: number): Promise<void> =>
      this.inTurn(async () => {
        // Before it is measured: what is written meanwhile may be counted twice, and never not at all.
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
    this.last = turn.catch(() => undefined);
    return turn;
  }
}

/** By disk: all copies of this process share them. */
const rooms = new Map<bigint, SpoolRoom>();

/** Reserves room on the disk that a folder lies on. Rejects with `NoRoom`. */
export async function reserveIn(folder: string, bytes: number): Promise<Reservation> {
  const { dev } = await stat(folder, { bigint: true });
  const room = rooms.get(dev) ?? new SpoolRoom();
  rooms.set(dev, room);
  return room.reserve(bytes, async () => {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { free: bavail * bsize, total: blocks * bsize };
  });
}
