import { createHmac } from 'node:crypto';
import type { Clock } from '../../../api/clock';
import { discardBody } from '../../../api/answers/read-answer';
import { ConfigurationError, hasCode, MediaServiceError } from '../../../api/errors';
import { given } from '../../../api/json';
import { asksForAnotherTry, isTemporaryStatus, retryAfterMs } from '../../../api/retry';
import type { HttpAnswer, Transport } from '../../../api/transport/transport';
import { checkSourceHost } from '../../../files/sources/allowed-host';

const TIMEOUTS = { connectMs: 10_000, headersMs: 30_000, bodyMs: 30_000 };

export interface WebhookAccess {
  readonly transport: Transport;
  /** Private hosts that webhooks may use. */
  readonly sourceHosts: readonly string[];
  readonly clock: Clock;
}

interface WebhookPost {
  /** The plain URL. */
  readonly url: string;
  readonly body: string;
  /** Idempotency-Key: the same for the same post. */
  readonly name: string;
  /** Signs the post. Unset: unsigned. */
  readonly key: Buffer | undefined;
  readonly signal: AbortSignal;
}

/**
 * Posts JSON once and resolves on a 2xx. Signs as standardwebhooks.com describes, so that receivers can use any
 * library for it. Does not follow redirects. Rejects with a retryable error on 408, 425, 429, 5xx and lost
 * connections, and with `RequestRefused` on any other status.
 */
export async function postWebhook(access: WebhookAccess, post: WebhookPost): Promise<void> {
  const { url, body, name, key, signal } = post;
  const target = new URL(url);
  const isProxied = access.transport.isProxied?.(target);
  const addresses = await checkSourceHost(target, access.sourceHosts, isProxied).catch((error: unknown) => {
    throw aboutTarget(error);
  });
  const timestamp = String(Math.floor(access.clock.now() / 1000));
  const content = `${name}.${timestamp}.${body}`;
  const signature = key && `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
  const answer = await access.transport.send({
    method: 'POST',
    url,
    addresses,
    headers: {
      'content-type': 'application/json',
      'idempotency-key': name,
      'webhook-id': name,
      'webhook-timestamp': timestamp,
      ...given({ 'webhook-signature': signature }),
    },
    body,
    timeouts: TIMEOUTS,
    freshConnection: true,
    signal,
  });
  await discardBody(answer.body);
  refuseFailure(answer, access.clock.now());
}

/** The key in a named secret: `whsec_` and base64, as the standard writes keys, or any other text unchanged. */
export function signingKey(secret: unknown, name: string): Buffer {
  if (typeof secret !== 'string' || secret.trim() === '') {
    throw new ConfigurationError(
      'webhookSecret',
      `the secret named "${name}" must be text to sign with`,
      'Write it as one text, at least 24 characters long.',
    );
  }
  const text = secret.trim();
  return text.startsWith('whsec_') ? Buffer.from(text.slice('whsec_'.length), 'base64') : Buffer.from(text);
}

function refuseFailure({ status, headers }: HttpAnswer, now: number): void {
  if (status >= 200 && status < 300) return;
  const isTemporary = isTemporaryStatus(status);
  const code = status === 429 ? 'RateLimited' : isTemporary ? 'ServiceFailed' : 'RequestRefused';
  throw new MediaServiceError(code, `the webhook answered ${status}`, {
    operation: 'webhook post',
    status,
    outcome: isTemporary ? 'ambiguous' : 'refused',
    hint: hintFor(status),
    ...given({ retryAfterMs: isTemporary ? retryAfterMs(headers, now) : undefined }),
  });
}

function hintFor(status: number): string {
  if (asksForAnotherTry(status)) return 'The receiver is busy: raise its limit.';
  if (status >= 300 && status < 400)
    return 'It redirects, which a signed post does not follow: give the final address.';
  return HINTS[status] ?? 'The receiver refuses this post or failed: its log says why.';
}

const SIGNATURE = "Compare the signing secret on both sides, and the receiver's clock.";
const ADDRESS = 'Nothing receives at this address: correct it in the targets of the schedule.';
const HINTS: Readonly<Record<number, string>> = {
  401: SIGNATURE,
  403: SIGNATURE,
  404: ADDRESS,
  410: ADDRESS,
};

function aboutTarget(error: unknown): unknown {
  if (!hasCode(error, 'SourceNotAllowed')) return error;
  return new MediaServiceError(
    'SourceNotAllowed',
    `the webhook may not be posted to: its host points to this machine or a private network, or leads to a metadata service`,
    {
      outcome: 'unsent',
      field: 'target',
      hint: 'To allow it, add the host to {sourceHosts}. Link-local and metadata addresses are never allowed.',
    },
  );
}
