import { beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  NoRoom,
  SPARE_BYTES,
  SpoolRoom,
  type Reservation,
} from '../../../../../../api/upload/sources/path/spool-room';

const TOTAL = SPARE_BYTES + 1_000;

/** A disk that copies and others write to. */
let disk: Disk;
beforeEach(() => {
  disk = new Disk();
});

class Disk {
  used = 0;
  measure = async (): Promise<{ free: number; total: number }> => ({ free: TOTAL - this.used, total: TOTAL });
}

describe('room on a disk', () => {
  test('reserved for one copy is not reserved for another, however much of it is written', async () => {
    const room = new SpoolRoom();
    const first = await room.reserve(600, disk.measure);
    await expect(room.reserve(500, disk.measure)).rejects.toMatchObject({ needed: 500, promised: 600 });
    disk.used = 450;
    first.written(450);
    await expect(room.reserve(500, disk.measure)).rejects.toBeInstanceOf(NoRoom);
    await room.reserve(400, disk.measure);
  });

  test('is free again after a copy ended', async () => {
    const room = new SpoolRoom();
    (await room.reserve(600, disk.measure)).release();
    await room.reserve(1_000, disk.measure);
  });

  test('is not reserved twice by copies that ask at the same time', async () => {
    const room = new SpoolRoom();
    const asked = await Promise.allSettled(Array.from({ length: 5 }, () => room.reserve(400, disk.measure)));
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  });

  test('for a copy of unknown size grows with it', async () => {
    const room = new SpoolRoom();
    const copy = await room.reserve(300, disk.measure);
    disk.used = 300;
    copy.written(300);
    await copy.grow(300);
    await expect(room.reserve(500, disk.measure)).rejects.toBeInstanceOf(NoRoom);
    await room.reserve(400, disk.measure);
    await expect(copy.grow(300)).rejects.toBeInstanceOf(NoRoom);
  });

  type Step = readonly [kind: 'reserve' | 'write' | 'grow' | 'end', which: number, bytes: number];
  const step: fc.Arbitrary<Step> = fc.tuple(
    fc.constantFrom('reserve', 'write', 'grow', 'end'),
    fc.nat(5),
    fc.integer({ min: 1, max: 700 }),
  );

  test("is never reserved beyond the disk's end, and what is reserved can always be written", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        disk = new Disk();
        const room = new SpoolRoom();
        const copies: { reserved: Reservation; wrote: number }[] = [];
        for (const [kind, which, bytes] of steps) {
          const copy = copies[which % Math.max(1, copies.length)];
          if (kind === 'reserve') {
            await room.reserve(bytes, disk.measure).then(
              (reserved) => copies.push({ reserved, wrote: 0 }),
              (error: unknown) => expect(error).toBeInstanceOf(NoRoom),
            );
          } else if (copy === undefined) continue;
          else if (kind === 'grow') await copy.reserved.grow(bytes).catch(() => undefined);
          else if (kind === 'write') {
            const now = Math.min(bytes, copy.reserved.left());
            disk.used += now;
            copy.wrote += now;
            copy.reserved.written(now);
          } else {
            copy.reserved.release();
            disk.used -= copy.wrote;
            copies.splice(copies.indexOf(copy), 1);
          }
          const promised = copies.reduce((sum, { reserved }) => sum + reserved.left(), 0);
          expect(disk.used + promised).toBeLessThanOrEqual(TOTAL - SPARE_BYTES);
        }
      }),
    );
  });
});
