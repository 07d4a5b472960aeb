import { type Effect, type FaultDefinition, SERVICE_OPERATIONS, type ServiceOperation } from './fault';
import { GATEWAY_PAGE, STORAGE_FAULTS } from './storage-faults';

/**
 * Every fault that the simulator can make, as data: its effect, the operation, and when. `fault-book` arms them;
 * `http/play-fault` and `storage/part-body` apply them.
 */

const PROXY_PAGE =
  '<!doctype html><html><head><title>502 Proxy</title></head><body>Bad gateway</body></html>';

const BROKEN_JSON: Effect = {
  does: 'text',
  status: 200,
  contentType: 'application/json',
  text: '{"content": [',
};

const REFUSALS: ReadonlyArray<readonly [status: number, message: string]> = [
  [400, 'Bad Request'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'Not Found'],
  [408, 'Request Timeout'],
  [409, 'Conflict'],
  [429, 'Too Many Requests'],
  [500, 'Internal Server Error'],
  [503, 'Service Unavailable'],
];

/**
 * A fault that every service operation has: a function that makes its name from the operation, and the rest of its
 * definition.
 */
type CommonFault = Omit<FaultDefinition, 'name' | 'at'> & { readonly nameOf: (operation: string) => string };

const ending =
  (end: string) =>
  (operation: string): string =>
    `${operation}-${end}`;

const COMMON_FAULTS: readonly CommonFault[] = [
  ...REFUSALS.map(([status, message]): CommonFault => ({
    nameOf: ending(String(status)),
    when: 'instead',
    effect: { does: 'refuse', status, message },
    description: `answers ${status}, not carried out${status === 429 || status === 503 ? '; Retry-After: seconds=1' : ''}`,
  })),
  {
    nameOf: ending('502'),
    when: 'instead',
    effect: { does: 'text', status: 502, contentType: 'text/html', text: PROXY_PAGE },
    description: "answers 502 with a proxy's HTML page, not carried out",
  },
  ...[400, 404, 409].map((status): CommonFault => ({
    nameOf: ending(`${status}-html`),
    when: 'instead',
    effect: { does: 'text', status, contentType: 'text/html', text: GATEWAY_PAGE },
    description: `answers ${status} with a gateway's HTML page, not carried out`,
  })),
  {
    nameOf: ending('lost'),
    when: 'after',
    effect: { does: 'cut' },
    description: 'carried out, then the connection is destroyed without an answer',
  },
  {
    nameOf: ending('lost-before'),
    when: 'instead',
    effect: { does: 'cut' },
    description: 'not carried out, connection destroyed without an answer',
  },
  {
    nameOf: ending('half'),
    when: 'after',
    effect: { does: 'cut-half' },
    description: 'carried out, connection destroyed in the middle of the answer',
  },
  {
    nameOf: ending('timeout'),
    when: 'instead',
    effect: { does: 'silence' },
    description: 'not carried out and never answered; the connection stays open',
  },
  {
    nameOf: ending('silent'),
    when: 'after',
    effect: { does: 'silence' },
    description: 'carried out and never answered; the connection stays open',
  },
  {
    nameOf: ending('html'),
    when: 'after',
    effect: { does: 'text', status: 200, contentType: 'text/html', text: PROXY_PAGE },
    description: "carried out, answers 200 with a proxy's HTML page",
  },
  {
    nameOf: ending('not-json'),
    when: 'after',
    effect: BROKEN_JSON,
    description: 'carried out, answers 200 with broken JSON',
  },
  {
    nameOf: ending('empty'),
    when: 'after',
    effect: { does: 'text', status: 200, contentType: 'application/json', text: '' },
    description: 'carried out, answers 200 with an empty body',
  },
  {
    nameOf: (operation) => `redirect-${operation}`,
    when: 'instead',
    effect: { does: 'redirect' },
    description: 'answers 307 to another origin, not carried out; a client that follows is seen there',
  },
];

function commonFaultsOf(operation: ServiceOperation): FaultDefinition[] {
  return COMMON_FAULTS.map(({ nameOf, ...rest }) => ({ name: nameOf(operation), at: operation, ...rest }));
}

const ANY_FAULTS: readonly FaultDefinition[] = [
  {
    name: 'rate-limit-429',
    at: 'any',
    when: 'instead',
    effect: { does: 'refuse', status: 429, message: 'Too Many Requests' },
    description: 'answers 429 with Retry-After: seconds=1, not carried out',
  },
  {
    name: 'answer-not-json',
    at: 'any',
    when: 'after',
    effect: BROKEN_JSON,
    description: 'carried out, answers 200 with broken JSON',
  },
  {
    name: 'endless-answer',
    at: 'any',
    when: 'after',
    effect: { does: 'endless' },
    description: 'carried out, answers up to 10 GB; records the bytes sent until the client closed',
  },
  {
    name: 'token-expired-once',
    at: 'any',
    when: 'instead',
    effect: { does: 'revoke-token' },
    description: 'the token that the request carries is expired: 401, not carried out',
  },
];

const INSIDE_FAULTS: readonly FaultDefinition[] = [
  {
    name: 'login-skew',
    at: 'login',
    when: 'inside',
    effect: { does: 'skew-clock' },
    description: "the service's clock is off by ms=7200000 for this login, its Date header too",
  },
  {
    name: 'search-lag',
    at: 'search',
    when: 'inside',
    effect: { does: 'hide-new-media' },
    description: 'search does not see media that were made by uploads yet',
  },
  {
    name: 'webhooks-redelivered',
    at: 'webhooks',
    when: 'inside',
    effect: { does: 'redeliver' },
    description: 'after this page, its first failed delivery succeeds, and leaves a search for failed ones',
  },
  {
    name: 'session-unknown-status',
    at: 'session',
    when: 'inside',
    effect: { does: 'odd-status' },
    description: 'the session shows a status that the interface does not list: reason=ASSEMBLING',
  },
  {
    name: 'processing-failed',
    at: 'processing',
    when: 'inside',
    effect: { does: 'fail' },
    description: 'processing ends FAILED with the reason given, as `processing-failed:codec not supported`',
  },
  {
    name: 'processing-stuck',
    at: 'processing',
    when: 'inside',
    effect: { does: 'stick' },
    description: 'the session stays PENDING_COMPLETE until it is released',
  },
  {
    name: 'processing-slow',
    at: 'processing',
    when: 'inside',
    effect: { does: 'delay' },
    description: 'processing takes ms=5000 longer',
  },
];

/** Definitions by name. The CLI and the control interface use the same names. */
export const FAULTS: ReadonlyMap<string, FaultDefinition> = new Map(
  [...ANY_FAULTS, ...INSIDE_FAULTS, ...STORAGE_FAULTS, ...SERVICE_OPERATIONS.flatMap(commonFaultsOf)].map(
    (fault) => [fault.name, fault],
  ),
);
