import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';

/**
 * Most waits take a few seconds on an idle machine, and this leaves room for a busy one. A wait that fails costs the run
 * no more than that.
 */
const LIMIT_MS = 60_000;
/**
 * For waits that take a minute and more, such as for the end of a batch. Shorter than Jest's limit, so that a wait that
 * never ends says what it waited for.
 */
export const LONG_LIMIT_MS = 4 * 60_000;
const PAUSE_MS = 50;

/**
 * Calls `look` until its result passes, and resolves with that result. By default, any truthy result passes. Pauses
 * between two calls, and fails after `limitMs` with the last result. An error from `look` ends the wait.
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
