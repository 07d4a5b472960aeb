import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';

/** A guard against a hang, shorter than Jest's: so a wait that never ends says what it waited for. */
const LIMIT_MS = 4 * 60_000;
const PAUSE_MS = 50;

/**
 * Looks until what is seen holds, and resolves with it: until it is truthy, if nothing else is asked for. Pauses between
 * two looks; after `limitMs` fails with what was seen last. What a look throws ends the wait.
 */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  holds: (seen: T) => boolean = Boolean,
  { limitMs = LIMIT_MS, pauseMs = PAUSE_MS } = {},
): Promise<T> {
  const end = performance.now() + limitMs;
  for (;;) {
    const seen = await look();
    if (holds(seen)) return seen;
    if (performance.now() >= end)
      throw new Error(`Not within ${limitMs} ms: ${what}. Last seen: ${shown(seen)}`);
    await pause(pauseMs);
  }
}

function shown(seen: unknown): string {
  const text = typeof seen === 'string' ? seen : inspect(seen, { depth: 6 });
  return text.length > 4_000 ? `${text.slice(0, 2_000)} … ${text.slice(-2_000)}` : text;
}
