import type { IncomingMessage } from 'node:http';
import { type Answer, Refusal, jsonAnswer } from '../http/answer';
import { readRecord, refuseUnknownFields } from '../http/request-body';
import type { World } from '../world';
import { judgeTimestamp } from './login-time';
import { isSigned } from './signature';

const SKEW_MS = 2 * 60 * 60_000;

/**
 * POST {base_url}/api/login. 400 and 415 for what is malformed, 401 for what is not accepted ("Errors of login: not shown"):
 * an unknown API key, an unknown external id, a wrong signature, a timestamp that is too old or ahead.
 */
export async function login(world: World, request: IncomingMessage): Promise<Answer> {
  const skew = world.faults.take({ operation: 'login', when: 'inside' });
  const now = world.settings.now() + (skew === undefined ? 0 : (skew.ms ?? SKEW_MS));
  const date = skew === undefined ? {} : { date: new Date(now).toUTCString() };
  const body = await readRecord(request);
  refuseUnknownFields(body, ['timestamp'], 'The login body');
  const { timestamp } = body;
  if (typeof timestamp !== 'string') throw new Refusal(400, 'timestamp is required and must be text.');
  const externalId = headerText(request, 'x-multitenant-external-id');
  const refusal = refusalOf(world, {
    timestamp,
    externalId,
    apiKey: headerText(request, 'x-authentication-api-key'),
    signature: headerText(request, 'x-authentication-signature'),
    now,
  });
  if (refusal !== undefined) throw new Refusal(refusal.status, refusal.message, date);
  world.recorder.logins += 1;
  world.recorder.emit('login');
  return jsonAnswer(200, world.tokens.issue(externalId), date);
}

interface Attempt {
  readonly timestamp: string;
  readonly apiKey: string;
  readonly externalId: string;
  readonly signature: string;
  readonly now: number;
}

function refusalOf(world: World, attempt: Attempt): { status: number; message: string } | undefined {
  const { secretKeys } = world;
  const { account, subAccounts } = world.settings;
  const verdict = judgeTimestamp(attempt.timestamp, attempt.now);
  if (verdict === 'malformed')
    return { status: 400, message: 'timestamp is not an ISO 8601 date-time with zone.' };
  if (attempt.apiKey !== account.apiKey) return { status: 401, message: 'Unknown API key.' };
  if (!subAccounts.includes(attempt.externalId)) return { status: 401, message: 'Unknown external id.' };
  if (!secretKeys.some((secretKey) => isSigned(attempt.timestamp, attempt.signature, secretKey))) {
    return { status: 401, message: 'The signature does not match.' };
  }
  if (verdict === 'fine') return undefined;
  return { status: 401, message: `The timestamp is ${verdict}.` };
}

/** Header values arrive as Latin-1; external ids beyond ASCII are sent as UTF-8. */
function headerText(request: IncomingMessage, name: string): string {
  const value = request.headers[name];
  if (typeof value !== 'string' || value === '') throw new Refusal(401, `The header ${name} is missing.`);
  return Buffer.from(value, 'latin1').toString('utf8');
}
