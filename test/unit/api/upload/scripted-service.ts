import { TransportError } from '../../../../api/errors';
import type { ServiceOptions } from '../../../../api/account';
import { fakeClock } from '../fake-clock';
import { scriptedService as answering } from '../scripted-service';
import type { ScriptedAnswer } from '../scripted-service';

/** The connection was lost after the request was sent. */
export const LOST = 'lost';
/** The connection was never made. */
export const UNSENT = 'unsent';

export type Script = (call: string, count: number) => ScriptedAnswer | typeof LOST | typeof UNSENT;

/**
 * The real service client over a transport with scripted answers. `count` is the number of earlier identical calls.
 * Logins succeed. Time passes only in sleeps, from epoch ms 1,000,000. `calls` are `METHOD path`, without logins.
 */
export function scriptedService(script: Script, options: ServiceOptions = {}) {
  const clock = fakeClock(1_000_000);
  const scripted = answering(clock, { options });
  const calls: string[] = [];
  const bodies: unknown[] = [];
  scripted.operation = ({ method, path, search, body }) => {
    const call = `${method} ${path}${search}`;
    const count = calls.filter((one) => one === call).length;
    calls.push(call);
    bodies.push(body === '' ? undefined : JSON.parse(body));
    const answer = script(call, count);
    if (answer === LOST) throw new TransportError('reset', { outcome: 'ambiguous' });
    if (answer === UNSENT) throw new TransportError('no connection', { outcome: 'unsent' });
    return { body: {}, ...answer };
  };
  return { service: scripted.service, calls, bodies, slept: clock.slept };
}
