import { text } from 'node:stream/consumers';
import { resolveQuery } from '../../../../api/webhooks/delivery-query';
import type { DeliveryQuery } from '../../../../api/webhooks/delivery-query';
import { exportDeliveries } from '../../../../api/webhooks/delivery-export';
import type { ExportRequest } from '../../../../api/webhooks/delivery-export';
import { eachDelivery, searchDeliveries } from '../../../../api/webhooks/delivery-search';
import { readAgainIfFewer } from '../../../../api/pages/each-page';
import { fakeClock } from '../fake-clock';
import type { FakeClock } from '../fake-clock';
import { scriptedService } from '../scripted-service';
import { failureOf } from '../upload/failure-of';
import type { ScriptedAnswer, ScriptedService } from '../scripted-service';

let clock: FakeClock;
let scripted: ScriptedService;

beforeEach(() => {
  clock = fakeClock(Date.parse('2026-11-02T06:00:00Z'));
  scripted = scriptedService(clock);
  scripted.operation = () => ({ body: [] });
});

const SEVEN = '2026-11-01T07:00';
const day: DeliveryQuery = { from: '2026-11-01', to: '2026-11-02' };

test('a range is sent from its start to its last millisecond in UTC, with no unrequested parameters', async () => {
  await searchDeliveries(scripted.service, { from: '2026-11-01', zone: 'Europe/Berlin' });
  const headers = { accept: 'application/json' };
  expect(scripted.calls).toMatchObject([{ method: 'GET', path: '/api/webhook/search', headers }]);
  expect([...(scripted.calls[0]?.query ?? [])]).toEqual([
    ['from', '2026-10-31T23:00:00.000Z'],
    ['to', '2026-11-02T05:59:59.999Z'],
  ]);
});

test('every parameter is sent, status once per value', async () => {
  await searchDeliveries(
    scripted.service,
    { ...day, status: ['FAILED', 'SUCCESS', 'FAILED'], mediaId: 'm 1', subAccountId: 's&1' },
    { page: 3, size: 1000 },
  );
  const query = scripted.calls[0]?.query ?? new URLSearchParams();
  expect(query.getAll('status')).toEqual(['FAILED', 'SUCCESS']);
  expect(Object.fromEntries(query)).toMatchObject({
    ...{ from: '2026-11-01T00:00:00.000Z', to: '2026-11-01T23:59:59.999Z' },
    ...{ mediaId: 'm 1', subAccountId: 's&1', page: '3', size: '1000' },
  });
});

test.each([
  ['UTC', '2026-11-01', '2026-11-01T00:00:00.000Z', '2026-11-02T00:00:00.000Z'],
  ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
])('a day in %s as start and end is that day, also if clocks change', (zone, at, from, to) => {
  const resolved = resolveQuery({ from: at, to: at, zone }, Date.parse('2026-11-20'));
  expect(resolved).toMatchObject({ from, to });
  expect(resolveQuery(resolved, Date.parse('2026-11-20'))).toEqual(resolved);
});

test.each<[string, DeliveryQuery, { size?: number }, string, string]>([
  ['an empty range', { from: SEVEN, to: SEVEN }, {}, 'from', 'must be before the end of the period'],
  [
    'a range in Berlin, in the times of Berlin',
    { from: '2026-11-02', to: '2026-11-01', zone: 'Europe/Berlin' },
    {},
    'from',
    'must be before the end of the period (2026-11-01T00:00+01:00), but is 2026-11-02T00:00+01:00',
  ],
  ['a from in the future', { from: '2026-12-01' }, {}, 'from', 'must be before the end of the period'],
  ['a malformed to', { from: '-1d', to: 'later' }, {}, 'to', 'to isn\'t a valid date: "later"'],
  [
    'an unknown status',
    { ...day, status: ['X' as 'FAILED'] },
    {},
    'status',
    'must be one of FAILED, SUCCESS',
  ],
  ['an empty media id', { ...day, mediaId: '' }, {}, 'mediaId', 'mediaId is empty'],
  ['size 0', day, { size: 0 }, 'size', 'size is 0'],
])('%s is refused by its field, and nothing is sent', async (_name, query, request, field, message) => {
  await expect(searchDeliveries(scripted.service, query, request)).rejects.toMatchObject({
    code: 'Validation',
    facts: { field },
    message: expect.stringContaining(message),
  });
  expect(scripted.calls).toHaveLength(0);
});

interface Served {
  readonly records?: number;
  /** Whether the total is right, stays the same, or is not shown. */
  readonly shows?: 'right' | 'same' | 'none';
  /** How the deliveries change after each first page. */
  readonly change?: (ids: number[]) => number[];
}

/** Lets the service have deliveries, as CSV or as JSON. It says its page's number. Each answer takes a minute. */
function serve({ records = 25, shows = 'right', change = (ids) => ids }: Served): void {
  let ids = Array.from({ length: records }, (_none, id) => id);
  const base = shows === 'none' ? 1 : 0;
  scripted.operation = ({ query, headers: { accept } }) => {
    clock.advance(60_000);
    const [page, size] = [Number(query.get('page') ?? base) - base, Number(query.get('size'))];
    const found = ids.slice(page * size, page * size + size);
    const total = shows === 'same' ? records : ids.length;
    if (page === 0) ids = change(ids);
    const totals = shows === 'none' ? {} : { 'X-Total-Elements': String(total) };
    const answer = accept === 'text/csv' ? csv(found) : { body: found.map((id) => ({ id })) };
    return { ...answer, headers: { 'X-Page': String(page + base), ...totals, ...answer.headers } };
  };
}

const csv = (ids: number[]): ScriptedAnswer => ({
  headers: { 'content-type': 'text/csv' },
  body: `id,status\r\n${ids.map((id) => `${id},"FAI\nLED"\r\n`).join('')}`,
});

const readersOf = (query: DeliveryQuery): [string, () => AsyncIterable<unknown>][] => [
  ['all deliveries', () => eachDelivery(scripted.service, query, { size: 10 })],
  ['a CSV export', () => exportDeliveries(scripted.service, query, { format: 'csv', size: 10 })],
  ['a JSON export', () => exportDeliveries(scripted.service, query, { format: 'jsonl', size: 10 })],
];

const CHANGES: [string, Served, string | undefined][] = [
  ['and the total falls', { change: (ids) => ids.slice(1) }, 'the total fell from 25 to 24'],
  ['because another one fails', { shows: 'same', change: (ids) => [...ids.slice(1), 25] }, 'records moved'],
  ['because the service sends none', { shows: 'none', change: (ids) => ids.slice(1) }, 'records moved'],
  ['because one moves to the front', { shows: 'same', change: (ids) => [25, ...ids] }, undefined],
];
test.each(
  readersOf({ ...day, status: ['FAILED'] }).flatMap(([name, read]) =>
    CHANGES.map(([why, change, because]) => [name, why, change, because, read] as const),
  ),
)('a delivery that leaves page 0 is noticed by %s, %s', async (_name, _why, change, because, read) => {
  serve(change);
  const reading = Array.fromAsync(read());
  if (because === undefined) return expect((await reading).length).toBeGreaterThan(0);
  const { code, message, facts } = await failureOf(reading);
  expect([code, facts.hint]).toEqual(['UnreadableAnswer', expect.stringContaining('Run it again.')]);
  expect(message).toContain(`incomplete, because ${because}`);
});

test.each([
  [1, 24, 5],
  [9, 'incomplete', 6],
])('read again if fewer: %s deliveries leave one by one, the result is %s', async (leave, result, calls) => {
  serve({ change: (ids) => ids.filter((id) => id >= leave || id !== Math.min(...ids)) });
  const read = readAgainIfFewer(() => Array.fromAsync(eachDelivery(scripted.service, day, { size: 10 })));
  if (typeof result === 'string') await expect(read).rejects.toThrow(result);
  else expect(await read).toEqual(Array.from({ length: result }, (_none, index) => ({ id: index + leave })));
  expect(scripted.calls).toHaveLength(calls);
});

describe('an export', () => {
  const exported = (request: ExportRequest): Promise<string> =>
    text(exportDeliveries(scripted.service, { from: '-24h' }, request));

  const ends = (): Set<unknown> => new Set(scripted.calls.map(({ query }) => query.get('to')));

  test('as CSV joins all pages of a fixed range under one header and reports its progress', async () => {
    serve({});
    const pages: unknown[] = [];
    const all = await exported({ format: 'csv', size: 10, onPage: (page) => pages.push(page) });
    expect(all).toBe(csv(Array.from({ length: 25 }, (_, id) => id)).body);
    expect(ends()).toEqual(new Set(['2026-11-02T05:59:59.999Z']));
    expect(scripted.calls.map(({ headers }) => headers['accept'])).toEqual(Array(3).fill('text/csv'));
    expect(pages).toEqual([
      { page: 1, records: 10, recordsSoFar: 10, totalElements: 25 },
      { page: 2, records: 10, recordsSoFar: 20, totalElements: 25 },
      { page: 3, records: 5, recordsSoFar: 25, totalElements: 25 },
    ]);
  });

  test('as CSV drops a page whose answer broke off, and requests it again', async () => {
    serve({ records: 4 });
    const whole = scripted.operation;
    let cut = 0;
    scripted.operation = (call) => {
      if (!call.query.has('page') || (cut += 1) > 2) return whole(call);
      return { headers: { 'content-type': 'text/csv' }, body: 'id,status\r\n2,FAI', end: 'cut' };
    };
    expect(await exported({ format: 'csv', size: 2 })).toBe(csv([0, 1, 2, 3]).body);
    expect(scripted.calls).toHaveLength(4);
  });

  test.each([
    ['nothing found, header only', 'id,status\r\n', 'id,status\r\n'],
    ['nothing found, empty answer', '', ''],
  ])('as CSV with %s', async (_name, body, all) => {
    scripted.operation = () => ({ headers: { 'content-type': 'text/csv' }, body });
    expect(await exported({ format: 'csv' })).toBe(all);
    expect(scripted.calls).toHaveLength(1);
  });

  test.each([
    ['HTML', { headers: { 'content-type': 'text/html' }, body: '<html>private</html>' }],
    ['JSON', { body: [{ title: 'private' }] }],
  ])('as CSV refuses an answer that is %s', async (_name, answer) => {
    scripted.operation = () => answer;
    const { code, message, facts } = await failureOf(exported({ format: 'csv' }));
    expect(code).toBe('UnreadableAnswer');
    expect(message).toContain('expected CSV');
    expect(JSON.stringify([message, facts])).not.toContain('private');
  });

  test.each([0, 1, 2, 25])('of %i records is an array of JSON, or a line each', async (records) => {
    serve({ records });
    const all = Array.from({ length: records }, (_, id) => ({ id }));
    expect(JSON.parse(await exported({ format: 'json', size: 10 }))).toEqual(all);
    expect(ends().size).toBe(1);
    expect(await exported({ format: 'jsonl', size: 10 })).toBe(
      all.map((item) => `${JSON.stringify(item)}\n`).join(''),
    );
  });

  test('as CSV is read in the character set of the answer', async () => {
    const headers = { 'content-type': 'text/csv; charset=ISO-8859-1' };
    scripted.operation = () => ({ headers, body: Buffer.from('id,title\n1,Küche\n', 'latin1') });
    expect(await exported({ format: 'csv' })).toBe('id,title\n1,Küche\n');
  });
});
