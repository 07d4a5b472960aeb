import { Refusal } from '../http/answer';
import type { SimulatorEvent } from './recorder';

const TEXTS = ['event', 'operation', 'uploadId', 'mediaId', 'fault', 'reason'] as const;
const NUMBERS = ['part', 'status'] as const;

/**
 * Makes a test of one event from a query such as `event=held&part=3`: the event must have every given value.
 * `after=SEQ` excludes older events, `count=N` waits for the Nth match.
 * @throws Refusal naming an unknown parameter.
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
