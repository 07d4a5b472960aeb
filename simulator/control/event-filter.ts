import { Refusal } from '../http/answer';
import type { SimulatorEvent } from './recorder';

const TEXTS = ['event', 'operation', 'uploadId', 'mediaId', 'fault', 'reason'] as const;
const NUMBERS = ['part', 'status'] as const;

/**
 * A query such as `event=held&part=3` as a test of one event: every value given has to be the event's own. `after=SEQ` leaves
 * out older events, `count=N` waits for the Nth that fits. @throws Refusal naming a parameter that is unknown.
 */
export function eventFilter(query: URLSearchParams): (event: SimulatorEvent) => boolean {
  const known: readonly string[] = [...TEXTS, ...NUMBERS, 'after', 'count', 'timeoutMs'];
  for (const key of query.keys()) {
    if (!known.includes(key)) throw new Refusal(400, `Unknown query parameter: ${key}.`);
  }
  const after = Number(query.get('after') ?? 0);
  let missing = Number(query.get('count') ?? 1);
  return (event) => {
    const fits =
      event.seq > after &&
      [...TEXTS, ...NUMBERS].every((key) => !query.has(key) || query.get(key) === String(event[key]));
    if (fits) missing -= 1;
    return fits && missing <= 0;
  };
}
