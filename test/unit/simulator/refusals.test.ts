import type { JsonRecord } from '../../../simulator/json';
import { type BareClient, type Reply, record, useBareClient } from './bare-client';

const clientOf = useBareClient();

type Row = readonly [
  what: string,
  ask: (client: BareClient) => Promise<Reply>,
  message: string,
  status?: number,
];

/** The simulator refuses each, says why, and has started and issued nothing for it. */
function describeRefused(operation: string, rows: readonly Row[]): void {
  describe(`${operation} is refused`, () => {
    test.each(rows)('with %s', async (_what, ask, message, status = 400) => {
      const client = clientOf();
      await client.token();
      const { starts, logins } = client.simulator.seen();
      const reply = await ask(client);
      expect([reply.status, record(reply)['message']]).toEqual([status, expect.stringContaining(message)]);
      expect(client.simulator.seen()).toMatchObject({ starts, logins });
    });
  });
}

const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();
const login = (
  what: string,
  change: Parameters<BareClient['login']>[0],
  message: string,
  status = 401,
): Row => [what, (client) => client.login(change), message, status];

describeRefused('a login', [
  login('a wrong API key', { apiKey: 'other' }, 'Unknown API key.'),
  login('a wrong secret key', { secretKey: 'other' }, 'The signature does not match.'),
  login('a signature that is not hexadecimal', { signature: 'x' }, 'The signature does not match.'),
  login('a signature in upper case', { signature: 'AB'.repeat(32) }, 'The signature does not match.'),
  login('an unknown external id', { externalId: 'nobody' }, 'Unknown external id.'),
  login('a timestamp of 31 minutes ago', { timestamp: ago(31) }, 'The timestamp is too old.'),
  login('a timestamp far ahead', { timestamp: ago(-10) }, 'The timestamp is in the future.'),
  login('a timestamp without zone', { timestamp: '2026-11-21T10:00:00' }, 'not an ISO 8601', 400),
  login('no date as timestamp', { timestamp: '2026-13-41T10:00:00Z' }, 'not an ISO 8601', 400),
  login('no timestamp', { body: '{}' }, 'timestamp is required', 400),
  login('a further field', { body: '{"timestamp":"x","a":1}' }, 'fields that are not known: a', 400),
  login('broken JSON', { body: '{' }, 'not a JSON object', 400),
  login('another content type', { contentType: 'text/plain' }, 'must be application/json', 415),
]);

const start = (what: string, change: JsonRecord, message: string): Row => [
  what,
  (client) => client.start(change),
  message,
];
const media = (what: string, change: JsonRecord, message: string): Row =>
  start(what, { media: { fileType: 'MP4', ...change } }, message);

describeRefused('a start', [
  start('no parts', { amountOfParts: 0 }, 'amountOfParts'),
  start('121 parts', { amountOfParts: 121 }, 'amountOfParts'),
  start('half a part', { amountOfParts: 1.5 }, 'amountOfParts'),
  start('amountOfParts as text', { amountOfParts: '1' }, 'amountOfParts'),
  start('no media', { media: null }, 'media is required'),
  media('an unsupported extension', { fileType: 'EXE' }, 'media.fileType'),
  media('3GP, which is not in the table', { fileType: '3GP' }, 'media.fileType'),
  media('a dot before the extension', { fileType: '.mp4' }, 'media.fileType'),
  media('a creator of 256 characters', { creator: 'x'.repeat(256) }, 'media.creator'),
  media('a title that is not text', { title: 7 }, 'media.title'),
  media('a duration with a fraction', { duration: 1.5 }, 'media.duration'),
  media('a negative duration', { duration: -1 }, 'media.duration'),
  media('an unknown resolution', { resolution: '4K' }, 'media.resolution'),
  media('tags as an array', { tags: ['a'] }, 'media.tags'),
  media('a tag that is an object', { tags: { a: {} } }, 'media.tags'),
  media('insights that are not booleans', { insights: { isLibrary: 'yes' } }, 'media.insights'),
  media('unknown insights', { insights: { isPublic: true } }, 'isPublic'),
  media('an unknown media field', { name: 'a' }, 'name'),
  media('metadata inside media', { metadata: {} }, 'metadata'),
  start('an unknown field', { parts: 1 }, 'parts'),
  start('metadata that is not an object', { metadata: [] }, 'metadata'),
  start('the reserved key failureReason', { metadata: { failureReason: 'x' } }, 'failureReason'),
  start('the reserved key failureTimestamp', { metadata: { failureTimestamp: 'x' } }, 'failureTimestamp'),
  start('metadata over 16 MB', { metadata: { a: 'x'.repeat(16 * 1024 * 1024) } }, '16 MB'),
]);

test('a start with everything that is allowed is accepted', async () => {
  const insights = { isLibrary: true, includeInReport: false };
  const tags = { '': 'a', n: 1, f: false };
  const texts = { creator: '🚪'.repeat(255), title: '', resolution: 'HIGH' };
  const full = { fileType: '3GPP', duration: 0, ...texts, tags, insights };
  const change = { amountOfParts: 120, media: full, metadata: { deep: [{}] } };
  expect((await clientOf().start(change)).status).toBe(201);
});

const search = (what: string, query: string, message: string): Row => [
  what,
  (client) => client.search({}, query),
  message,
];
const filter = (what: string, by: Parameters<BareClient['search']>[0], message: string): Row => [
  what,
  (client) => client.search(by),
  message,
];

describeRefused('a media search', [
  search('page -1', '?page=-1', 'page'),
  search('size -1', '?size=-1', 'size'),
  search('size 1001', '?size=1001', 'size'),
  search('a page that is not a number', '?page=one', 'page'),
  search('two pages', '?page=1&page=2', 'page is given more than once'),
  search('an unknown parameter', '?limit=2', 'limit'),
  search('an unknown property to sort by', '?sort=weight', 'weight'),
  search('an unknown direction', '?sort=title,DOWN', 'title,DOWN'),
  filter('ids with a null element', { ids: ['a', null] }, 'ids'),
  filter('ids that are not an array', { ids: 'a' }, 'ids'),
  filter('an unknown type', { type: 'FILM' }, 'type'),
  filter('tags that are not an object', { tags: ['a'] }, 'tags'),
  filter('isActive as text', { isActive: 'true' }, 'isActive'),
  filter('an unknown field', { title: 'a' }, 'title'),
  filter('an array as body', [], 'not a JSON object'),
]);

const webhooks = (what: string, query: string, message: string): Row => [
  what,
  (client) => client.webhooks(query),
  message,
];

describeRefused('a webhook search', [
  webhooks('page -1', '?page=-1', 'page'),
  webhooks('size 0', '?size=0', 'size'),
  webhooks('size 1001', '?size=1001', 'size'),
  webhooks('an unknown status', '?status=OPEN', 'status'),
  webhooks('a date without zone', '?from=2026-11-01T00:00:00', 'from'),
  webhooks('a plus that was not encoded', '?from=2026-11-01T00:00:00+01:00', 'URL-encoded'),
  webhooks('from after to', '?from=2026-11-02T00:00:00Z&to=2026-11-01T00:00:00Z', 'from is after to'),
  webhooks('an unknown parameter', '?since=1', 'since'),
  ['neither CSV nor JSON accepted', (client) => client.webhooks('', '*/*'), 'Accept', 406],
]);

const NOWHERE = [
  ['POST', 'baseUrl', '/upload/start'],
  ['POST', 'uploadUrl', '/api/media/search'],
  ['GET', 'uploadUrl', '/upload/start/'],
  ['DELETE', 'uploadUrl', '/upload/abc'],
] as const;

describeRefused('a call', [
  ...NOWHERE.map(([method, address, path]): Row => [
    `the ${address} and ${method} ${path}`,
    (client) => client.call(method, client.simulator[address] + path),
    'There is no',
    404,
  ]),
  [
    'no token',
    (client) => client.call('POST', `${client.simulator.uploadUrl}/upload/start`, {}, { authorization: '' }),
    'A token is required.',
    401,
  ],
]);
