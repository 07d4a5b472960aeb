import { STATUS_CODES } from 'node:http';
import {
  type FaultDefinition,
  type FaultRow,
  type RowOfOne,
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

function page(status: number, text: string): RowOfOne[2] {
  return { does: 'text', status, contentType: 'text/html', text };
}

const JSON_TYPE = { does: 'text', status: 200, contentType: 'application/json' } as const;
const BROKEN_JSON = { ...JSON_TYPE, text: '{"content": [' };

/** What every service operation has. */
const COMMON_FAULTS: readonly RowOfOne[] = [
  ...[400, 401, 403, 404, 408, 409, 429, 500, 503].map((status): RowOfOne => {
    const retry = status === 429 || status === 503 ? '; Retry-After: seconds=1' : '';
    const effect = { does: 'refuse', status, message: STATUS_CODES[status] ?? '' } as const;
    return [String(status), 'instead', effect, `answers ${status}, not carried out${retry}`];
  }),
  ['502', 'instead', page(502, PROXY_PAGE), "answers 502 with a proxy's HTML page, not carried out"],
  ...[400, 404, 409].map((status): RowOfOne => [
    `${status}-html`,
    'instead',
    page(status, GATEWAY_PAGE),
    `answers ${status} with a gateway's HTML page, not carried out`,
  ]),
  ['lost', 'after', 'cut', 'carried out, then the connection is destroyed without an answer'],
  ['lost-before', 'instead', 'cut', 'not carried out, connection destroyed without an answer'],
  ['half', 'after', 'cut-half', 'carried out, connection destroyed in the middle of the answer'],
  ['timeout', 'instead', 'silence', 'not carried out, never answered'],
  ['silent', 'after', 'silence', 'carried out, never answered'],
  ['html', 'after', page(200, PROXY_PAGE), "carried out, answers 200 with a proxy's HTML page"],
  ['not-json', 'after', BROKEN_JSON, 'carried out, answers 200 with broken JSON'],
  ['empty', 'after', { ...JSON_TYPE, text: '' }, 'carried out, answers 200 with an empty body'],
  ['redirect', 'instead', 'redirect', 'answers 307 to another origin, not carried out'],
];

const SINGLE_FAULTS: readonly FaultRow[] = [
  [
    'any',
    'rate-limit-429',
    'instead',
    { does: 'refuse', status: 429, message: 'Too Many Requests' },
    'answers 429 with Retry-After: seconds=1',
  ],
  ['any', 'endless-answer', 'after', 'endless', 'carried out, answers up to 10 GB until the client closes'],
  ['any', 'token-expired-once', 'instead', 'revoke-token', 'the token of the request has expired: 401'],
  ['login', 'login-skew', 'inside', 'skew-clock', "the service's clock and Date are off by ms=7200000"],
  ['search', 'search-lag', 'inside', 'hide-new-media', 'search does not see uploaded media yet'],
  [
    'webhooks',
    'webhooks-redelivered',
    'inside',
    'redeliver',
    'its first failed delivery succeeds afterwards',
  ],
  [
    'session',
    'session-unknown-status',
    'inside',
    'odd-status',
    'the status is an unknown one: reason=ASSEMBLING',
  ],
  ['processing', 'processing-failed', 'inside', 'fail', 'processing ends FAILED, with the reason given'],
  ['processing', 'processing-stuck', 'inside', 'stick', 'the session stays PENDING_COMPLETE until a release'],
  ['processing', 'processing-slow', 'inside', 'delay', 'processing takes ms=5000 longer'],
];

const commonFaultsOf = (operation: ServiceOperation): FaultRow[] =>
  COMMON_FAULTS.map(([ending, ...rest]) => [operation, `${operation}-${ending}`, ...rest]);

/** Definitions by name. The CLI and the control interface use the same names. */
export const FAULTS: ReadonlyMap<string, FaultDefinition> = new Map(
  [...SINGLE_FAULTS, ...STORAGE_FAULTS, ...SERVICE_OPERATIONS.flatMap(commonFaultsOf)].map(
    ([at, name, when, effect, description]) => [
      name,
      { at, name, when, effect: typeof effect === 'string' ? { does: effect } : effect, description },
    ],
  ),
);
