import * as fc from 'fast-check';
import { MediaServiceError } from '../../../../api/errors';
import { fakeClock } from '../fake-clock';
import { scriptedService } from '../scripted-service';
import type { ScriptedAnswer, ScriptedService } from '../scripted-service';
import { breaking, type BrokenAnswer } from './broken-answer';
import { CALLS, CANARY, SECRETS, type Call } from './calls';

/**
 * How long one call may wait, ms. Four retries with the longest Retry-After, 5 minutes each, make 20 minutes. Jest's
 * time-out limits the real time.
 */
const MAX_WAIT_MS = 30 * 60_000;
const MIB = 1024 * 1024;
/** A piece of a body without an end. */
const PIECE = Buffer.alloc(64 * 1024, '{"a":');
/** Limit for any number of retries. */
const MAX_REQUESTS = 30;
const OPTIONS = { additionalUrls: 'POST /upload/{uploadId}/urls {"partNumbers":{partNumbers}}' };

interface Answered extends ScriptedService {
  /** What the call sent, except for the login before it. */
  readonly requests: ScriptedService['calls'];
  /** How much time the client slept, ms. */
  elapsedMs(): number;
}

/** A service that gives the answer to the login or to every other call. Time passes only in sleeps. */
function serviceThatAnswers(answer: ScriptedAnswer, what: Call['what']): Answered {
  const clock = fakeClock();
  const [begun, scripted] = [clock.now(), scriptedService(clock, { options: OPTIONS })];
  const requests = what === 'login' ? scripted.logins : scripted.calls;
  scripted[what === 'login' ? 'login' : 'operation'] = () => {
    if (requests.length > MAX_REQUESTS) throw new Error(`More than ${MAX_REQUESTS} requests were sent.`);
    return answer;
  };
  return { ...scripted, requests, elapsedMs: () => clock.now() - begun };
}

/** Runs the call, checks its value or its error, and returns the error. */
async function outcomeOf(
  call: Call,
  answered: Answered,
  answer?: BrokenAnswer,
): Promise<MediaServiceError | undefined> {
  try {
    const value = (await call.run(answered.service)) as never;
    if (answer !== undefined) call.check(value, answer);
    return undefined;
  } catch (error) {
    if (!(error instanceof MediaServiceError)) throw error;
    expect(error.code).not.toBe('Internal');
    expect(error.message.length).toBeLessThan(3_000);
    return error;
  }
}

function checkNothingShown({ message, facts, cause }: MediaServiceError, mayShowContent: boolean): void {
  const shown = JSON.stringify([message, facts, cause instanceof Error ? cause.message : cause]);
  for (const secret of SECRETS) expect(shown).not.toContain(secret);
  if (!mayShowContent) expect(shown).not.toContain(CANARY);
}

function checkSentOnce({ once }: Call, { requests }: Answered): void {
  let sent = false;
  for (const { method, path } of requests) {
    const request = `${method} ${path}`;
    if (request === once?.request) expect(sent).toBe(false);
    sent = request !== once?.unless && (sent || request === once?.request);
  }
}

function checkEnded({ bodies, elapsedMs }: Answered): void {
  expect(elapsedMs()).toBeLessThan(MAX_WAIT_MS);
  expect(bodies.filter(({ isEnded }) => !isEnded)).toEqual([]);
}

it.each(CALLS)('any broken answer of $name gives its shape, or an error without its values', async (call) => {
  await fc.assert(
    fc.asyncProperty(breaking, async (broken) => {
      const answer = broken(call.valid);
      const answered = serviceThatAnswers(answer, call.what);
      const error = await outcomeOf(call, answered, answer);
      if (error !== undefined) checkNothingShown(error, call.mayQuote?.(answer) === true);
      checkSentOnce(call, answered);
      checkEnded(answered);
    }),
    { numRuns: 200 },
  );
});

const ENDLESS = CALLS.flatMap((call) =>
  [...new Set([call.valid.status, 400, 503])].map((status) => ({ call, status })),
);

it.each(ENDLESS)('$call.name gives up an endless answer with status $status', async ({ call, status }) => {
  const { headers = {} } = call.valid;
  const answered = serviceThatAnswers({ status, headers, body: PIECE, end: 'endless' }, call.what);
  await outcomeOf(call, answered);
  checkEnded(answered);
  const endless = answered.bodies.filter(({ bytes }) => bytes >= PIECE.length);
  expect(endless).not.toEqual([]);
  for (const { bytes } of endless) expect(bytes).toBeLessThanOrEqual(limitOf(call, status) + PIECE.length);
});

/** How much of an answer the client reads: what it needs of an error, or the largest answer that it takes. */
function limitOf({ name, what }: Call, status: number): number {
  if (what === 'login') return MIB;
  return name.startsWith('part') || status >= 300 ? 64 * 1024 : 32 * MIB;
}
