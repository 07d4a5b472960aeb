import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Answer, Refusal, jsonAnswer } from '../http/answer';
import { readBytes, refuseUnknownFields, requireJsonType, textOf } from '../http/request-body';
import { type JsonRecord, isJsonRecord, parseJson } from '../json';
import type { SimulatorState } from '../state';
import { judgeTimestamp } from './login-time';

const SKEW_MS = 2 * 60 * 60_000;

/**
 * POST {base_url}/api/login. Returns 400 and 415 for malformed requests. Returns 401 ("Errors of login: not shown")
 * for an unknown API key or external id, a wrong signature, or a timestamp too far in the past or future.
 */
export async function login(state: SimulatorState, request: IncomingMessage): Promise<Answer> {
  const skew = state.faults.take({ operation: 'login', when: 'inside' });
  const now = state.settings.now() + (skew === undefined ? 0 : (skew.ms ?? SKEW_MS));
  const date = skew === undefined ? {} : { date: new Date(now).toUTCString() };
  requireJsonType(request);
  const bytes = await readBytes(request);
  const body = parseJson(textOf(bytes));
  if (!isJsonRecord(body)) throw new Refusal(400, 'The request body is not a JSON object.');
  refuseUnknownFields(body, ['timestamp'], 'The login body');
  const { timestamp } = body;
  if (typeof timestamp !== 'string') throw new Refusal(400, 'timestamp is required and must be text.');
  const externalId = headerText(request, 'x-multitenant-external-id');
  const refusal = refusalOf(state, {
    bytes,
    timestamp,
    externalId,
    apiKey: headerText(request, 'x-authentication-api-key'),
    signature: headerText(request, 'x-authentication-signature'),
    now,
  });
  if (refusal !== undefined) throw new Refusal(refusal.status, refusal.message, date);
  state.recorder.counts.logins += 1;
  state.recorder.emit('login');
  return jsonAnswer(200, shownTokens(state, externalId), date);
}

function shownTokens({ tokens, shapes, settings }: SimulatorState, externalId: string): JsonRecord {
  const pair = tokens.issue(externalId);
  if (shapes.has('login-wrapped')) return { data: pair };
  if (!shapes.has('login-oauth')) return pair;
  return {
    access_token: pair.accessToken,
    refresh_token: pair.refreshToken,
    token_type: 'Bearer',
    expires_in: Math.floor(settings.tokenTtlMs / 1000),
  };
}

interface Attempt {
  /** The body exactly as sent. */
  readonly bytes: Uint8Array;
  readonly timestamp: string;
  readonly apiKey: string;
  readonly externalId: string;
  readonly signature: string;
  readonly now: number;
}

function refusalOf(state: SimulatorState, attempt: Attempt): { status: number; message: string } | undefined {
  const { account, subAccounts } = state.settings;
  const verdict = judgeTimestamp(attempt.timestamp, attempt.now);
  if (verdict === 'malformed')
    return { status: 400, message: 'timestamp is not an ISO 8601 date-time with zone.' };
  if (attempt.apiKey !== account.apiKey) return { status: 401, message: 'Unknown API key.' };
  if (!subAccounts.includes(attempt.externalId)) return { status: 401, message: 'Unknown external id.' };
  if (!state.secretKeys.some((secretKey) => isSigned(attempt, secretKey))) {
    return { status: 401, message: 'The signature does not match.' };
  }
  if (verdict === 'fine') return undefined;
  return { status: 401, message: `The timestamp is ${verdict}.` };
}

/** Whether the signature is the HMAC-SHA256, in hexadecimal, of what was sent (api.md, Authentication 2). */
function isSigned({ bytes, signature }: Attempt, secretKey: string): boolean {
  const expected = createHmac('sha256', secretKey).update(bytes).digest();
  return /^[0-9a-f]{64}$/.test(signature) && timingSafeEqual(Buffer.from(signature, 'hex'), expected);
}

/** Header values arrive as Latin-1. External ids beyond ASCII are sent as UTF-8. */
function headerText(request: IncomingMessage, name: string): string {
  const value = request.headers[name];
  if (typeof value !== 'string' || value === '') throw new Refusal(401, `The header ${name} is missing.`);
  return Buffer.from(value, 'latin1').toString('utf8');
}
