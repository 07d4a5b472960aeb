import { once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import type { Clock } from '../../../../api/clock';
import { whileSlow } from '../../../../cli/output/terminal';
import { keptOutput } from '../kept-output';

/** Runs work that lasts `seconds` on a clock of its own, and returns the messages meanwhile. */
async function saidDuring(
  seconds: number,
  { json = false, isTTY = false, fails = false } = {},
): Promise<{ said: string; sleeping: number }> {
  const { terminal, written } = keptOutput({ stderr: { isTTY } });
  const over = new AbortController();
  let now = 0;
  let sleeping = 0;
  const clock: Clock = {
    now: () => now,
    async sleep(ms, signal) {
      if (now + ms < seconds * 1000) {
        now += ms;
        return;
      }
      now = seconds * 1000;
      over.abort();
      sleeping += 1;
      if (signal?.aborted !== true && signal !== undefined) await once(signal, 'abort');
      sleeping -= 1;
      throw signal?.reason;
    },
  };
  const work = async (): Promise<string> => {
    const isTimed = !json || isTTY;
    if (isTimed && !over.signal.aborted) await once(over.signal, 'abort');
    if (fails) throw new Error('cut off');
    return 'found';
  };
  const slow = whileSlow({ terminal, clock }, { json, soFar: () => '3 records so far' }, work);
  if (fails) await expect(slow).rejects.toThrow('cut off');
  else expect(await slow).toBe('found');
  return { said: written.stderr, sleeping };
}

const line = (span: string): string => `Still reading from the service after ${span}: 3 records so far.\n`;

describe('a command that reads from the service', () => {
  test.each<[seconds: number, said: string]>([
    [9, ''],
    [11, line('10 s')],
    [69, line('10 s')],
    [131, line('10 s') + line('1 min 10 s') + line('2 min 10 s')],
  ])('for %d s says so after ten seconds and every minute from then on', async (seconds, said) => {
    expect(await saidDuring(seconds)).toEqual({ said, sleeping: 0 });
  });

  test('says nothing after it has failed', async () => {
    expect(await saidDuring(5, { fails: true })).toEqual({ said: '', sleeping: 0 });
  });

  test('says nothing with --json unless somebody watches', async () => {
    expect((await saidDuring(100, { json: true })).said).toBe('');
    expect((await saidDuring(11, { json: true, isTTY: true })).said).toBe(line('10 s'));
  });
});
