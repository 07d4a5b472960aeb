import { createHmac, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Answer, type Call, Refusal, jsonAnswer } from '../http/answer';
import {
  readBytes,
  readIsoWithZone,
  recordOf,
  refuseUnknownFields,
  requireJsonType,
} from '../http/request-body';
import type { SimulatorState } from '../state';

/** "Token lifetime value: not shown" (api.md). */
const TOKEN_LIFE_MS = 30 * 60_000;
const SKEW_MS = 2 * 60 * 60_000;
/** "must not be older than 30 minutes" (api.md, Limits). */
const OLDEST_MS = 30 * 60_000;
/** The interface has no limit for timestamps in the future. Some skew is accepted. */
const FARTHEST_AHEAD_MS = 5 * 60_000;

/**
 * POST {base_url}/api/login. Returns 400 and 415 for malformed requests. Returns 401 ("Errors of login: not shown")
 * for an unknown API key or external id, a wrong signature, or a timestamp too far in the past or future.
 */
export async function login(state: SimulatorState, { request }: Call): Promise<Answer> {
  const skew = state.faults.take({ operation: 'login', when: 'inside' });
  const now = state.settings.now() + (skew === undefined ? 0 : (skew.ms ?? SKEW_MS));
  const date = skew === undefined ? {} : { date: new Date(now).toUTCString() };
  requireJsonType(request);
  const bytes = await readBytes(request);
  const body = recordOf(bytes);
  refuseUnknownFields(body, ['timestamp'], 'The login body');
  const { timestamp } = body;
  if (typeof timestamp !== 'string') throw new Refusal(400, 'timestamp is required and must be text.');
  const at = readIsoWithZone(timestamp);
  if (at === undefined) throw new Refusal(400, 'timestamp is not an ISO 8601 date-time with zone.', date);
  const externalId = headerText(request, 'x-multitenant-external-id');
  const signature = headerText(request, 'x-authentication-signature');
  const { account, subAccounts } = state.settings;
  const refuse = (isRefused: boolean, message: string): void => {
    if (isRefused) throw new Refusal(401, message, date);
  };
  refuse(headerText(request, 'x-authentication-api-key') !== account.apiKey, 'Unknown API key.');
  refuse(!subAccounts.includes(externalId), 'Unknown external id.');
  // "HMAC with SHA-256, in hexadecimal", of what was sent (api.md, Authentication 2).
  const signed = state.secretKeys.map((key) => createHmac('sha256', key).update(bytes).digest('hex'));
  refuse(!signed.includes(signature), 'The signature does not match.');
  refuse(now - at > OLDEST_MS, 'The timestamp is too old.');
  refuse(at - now > FARTHEST_AHEAD_MS, 'The timestamp is in the future.');
  state.recorder.counts.logins += 1;
  state.recorder.emit('login');
  const pair = { accessToken: randomToken(), refreshToken: randomToken() };
  state.tokens.set(pair.accessToken, {
    subAccountId: externalId,
    endsAt: state.settings.now() + TOKEN_LIFE_MS,
  });
  return jsonAnswer(200, pair, date);
}

function randomToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Header values arrive as Latin-1. External ids beyond ASCII are sent as UTF-8. */
function headerText(request: IncomingMessage, name: string): string {
  const value = request.headers[name];
  if (typeof value !== 'string' || value === '') throw new Refusal(401, `The header ${name} is missing.`);
  return Buffer.from(value, 'latin1').toString('utf8');
}
