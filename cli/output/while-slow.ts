import type { Clock } from '../../api/clock';
import type { Terminal } from './terminal';
import { formatSpan } from './units';

const FIRST_AFTER_MS = 10_000;
const THEN_EVERY_MS = 60_000;

interface Slowness {
  readonly json: boolean;
  /** Default `reading from the service`. */
  readonly doing?: string;
  /** The progress so far; empty if there is nothing to report. */
  readonly soFar?: () => string;
}

/** Runs the work. After ten seconds, and then once a minute, it notes that the work continues. */
export async function whileSlow<T>(
  { terminal, clock }: { readonly terminal: Terminal; readonly clock: Clock },
  { json, doing = 'reading from the service', soFar = () => '' }: Slowness,
  work: () => Promise<T>,
): Promise<T> {
  if (json && terminal.screen === undefined) return work();
  const over = new AbortController();
  const notes = (async () => {
    const since = clock.now();
    for (let waitMs = FIRST_AFTER_MS; ; waitMs = THEN_EVERY_MS) {
      await clock.sleep(waitMs, over.signal);
      const progress = soFar();
      const span = formatSpan(clock.now() - since);
      terminal.note(`Still ${doing} after ${span}${progress === '' ? '' : `: ${progress}`}.`);
    }
    // It ends when the work ends.
  })().catch(() => undefined);
  try {
    return await work();
  } finally {
    over.abort();
    await notes;
  }
}
