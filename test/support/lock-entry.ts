/**
 * A process that takes the lock of an ingest key and says so, or why it can't. It holds the lock until its input ends.
 */
import { systemClock } from '../../api/clock';
import type { Clock } from '../../api/clock';
import { MediaServiceError } from '../../api/errors';
import { lockJournal } from '../../api/upload/direct/journal/journal-lock';

const [base = '', haste = '1'] = process.argv.slice(2);
/** Its pauses are shorter by the factor `haste`. */
const clock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => systemClock.sleep(ms / Number(haste), signal),
};

function say(what: object): void {
  process.stdout.write(`${JSON.stringify(what)}\n`);
}

async function main(): Promise<void> {
  const ended = new Promise<void>((resolve) => process.stdin.on('end', resolve).resume());
  const lock = await lockJournal(base, { host: 'here', clock });
  await lock.check();
  say({ held: true });
  await ended;
  await lock.release();
  say({ released: true });
}

main().catch((error: unknown) =>
  say({ refused: error instanceof MediaServiceError ? error.message : String(error) }),
);
