import { STATUS_CODES } from 'node:http';
import {
  type Effect,
  type FaultDefinition,
  type FaultRow,
  SERVICE_OPERATIONS,
  type ServiceOperation,
} from './fault';
import { GATEWAY_PAGE, STORAGE_FAULTS } from './storage-faults';

/**
 * Every fault that the simulator can make, as data: its effect, the operation, and when. `fault-book` arms them;
 * `http/play-fault` and `storage/part-body` apply them.
 */

const PROXY_PAGE =
  '<!doctype html><html><head><title>502 Proxy</title></head><body>Bad gateway</body></html>';

function page(status: number, text: string): Effect {
  return { does: 'text', status, contentType: 'text/html', text };
}

const BROKEN_JSON = {
  does: 'text',
  status: 200,
  contentType: 'application/json',
  text: '{"content": [',
} as const;

type Common = FaultRow extends readonly [unknown, ...infer Rest] ? readonly [...Rest] : never;

/** What every service operation has. */
const COMMON_FAULTS: readonly Common[] = [
  ...[400, 401, 403, 404, 408, 409, 429, 500, 503].map((status): Common => {
    const retry = status === 429 || status === 503 ? '; Retry-After: seconds=1' : '';
    const effect = { does: 'refuse', status, message: STATUS_CODES[status] ?? '' } as const;
    return [String(status), 'instead', effect, `answers ${status}, not carried out${retry}`];
  }),
  ['502', 'instead', page(502, PROXY_PAGE), "answers 502 with a proxy's HTML page, not carried out"],
  ...[400, 404, 409].map((status): Common => [
    `${status}-html`,
    'instead',
    page(status, GATEWAY_PAGE),
    `answers ${status} with a gateway's HTML page, not carried out`,
  ]),
  ['lost', 'after', { does: 'cut' }, 'carried out, then the connection is destroyed without an answer'],
  ['lost-before', 'instead', { does: 'cut' }, 'not carried out, connection destroyed without an answer'],
  ['half', 'after', { does: 'cut-half' }, 'carried out, connection destroyed in the middle of the answer'],
  [
    'timeout',
    'instead',
    { does: 'silence' },
    'not carried out and never answered; the connection stays open',
  ],
  ['silent', 'after', { does: 'silence' }, 'carried out and never answered; the connection stays open'],
  ['html', 'after', page(200, PROXY_PAGE), "carried out, answers 200 with a proxy's HTML page"],
  ['not-json', 'after', BROKEN_JSON, 'carried out, answers 200 with broken JSON'],
  ['empty', 'after', { ...BROKEN_JSON, text: '' }, 'carried out, answers 200 with an empty body'],
  ['redirect', 'instead', { does: 'redirect' }, 'answers 307 to another origin, not carried out'],
];

const SINGLE_FAULTS: readonly FaultRow[] = [
  [
    'any',
    'rate-limit-429',
    'instead',
    { does: 'refuse', status: 429, message: 'Too Many Requests' },
    'answers 429 with Retry-After: seconds=1, not carried out',
  ],
  ['any', 'answer-not-json', 'after', BROKEN_JSON, 'carried out, answers 200 with broken JSON'],
  [
    'any',
    'endless-answer',
    'after',
    { does: 'endless' },
    'carried out, answers up to 10 GB; records the bytes sent until the client closed',
  ],
  [
    'any',
    'token-expired-once',
    'instead',
    { does: 'revoke-token' },
    'the token that the request carries is expired: 401, not carried out',
  ],
  [
    'login',
    'login-skew',
    'inside',
    { does: 'skew-clock' },
    "the service's clock is off by ms=7200000 for this login, its Date header too",
  ],
  [
    'search',
    'search-lag',
    'inside',
    { does: 'hide-new-media' },
    'search does not see media that were made by uploads yet',
  ],
  [
    'webhooks',
    'webhooks-redelivered',
    'inside',
    { does: 'redeliver' },
    'after this page, its first failed delivery succeeds, and leaves a search for failed ones',
  ],
  [
    'session',
    'session-unknown-status',
    'inside',
    { does: 'odd-status' },
    'the session shows a status that the interface does not list: reason=ASSEMBLING',
  ],
  [
    'processing',
    'processing-failed',
    'inside',
    { does: 'fail' },
    'processing ends FAILED with the reason given, as `processing-failed:codec not supported`',
  ],
  [
    'processing',
    'processing-stuck',
    'inside',
    { does: 'stick' },
    'the session stays PENDING_COMPLETE until it is released',
  ],
  ['processing', 'processing-slow', 'inside', { does: 'delay' }, 'processing takes ms=5000 longer'],
];

const commonFaultsOf = (operation: ServiceOperation): FaultRow[] =>
  COMMON_FAULTS.map(([ending, ...rest]) => [operation, `${operation}-${ending}`, ...rest]);

/** Definitions by name. The CLI and the control interface use the same names. */
export const FAULTS: ReadonlyMap<string, FaultDefinition> = new Map(
  [...SINGLE_FAULTS, ...STORAGE_FAULTS, ...SERVICE_OPERATIONS.flatMap(commonFaultsOf)].map(
    ([at, name, when, effect, description]) => [name, { at, name, when, effect, description }],
  ),
);
