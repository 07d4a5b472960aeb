import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { resolveQuery } from '../../../../api/webhooks/delivery-query';
import type { DeliveryQuery } from '../../../../api/webhooks/delivery-query';
import { exportDeliveries } from '../../../../api/webhooks/delivery-export';
import type { ExportRequest } from '../../../../api/webhooks/delivery-export';
import { eachDelivery, searchDeliveries } from '../../../../api/webhooks/delivery-search';
import { readAgainIfFewer } from '../../../../api/pages/each-page';
import { fakeClock } from '../fake-clock';
import type { FakeClock } from '../fake-clock';
import { startScriptedService } from '../scripted-service';
import type { ScriptedAnswer, ScriptedService, SeenCall } from '../scripted-service';

let clock: FakeClock;
let scripted: ScriptedService;

beforeEach(async () => {
  clock = fakeClock(Date.parse('2026-11-02T06:00:00Z'));
  scripted = await startScriptedService(clock);
  scripted.operation = () => ({ body: [] });
});

afterEach(() => scripted.close());

const day: DeliveryQuery = { from: '2026-11-01', to: '2026-11-02' };

test('a range is sent from its start to its last millisecond in UTC, with no unrequested parameters', async () => {
  await searchDeliveries(scripted.service, { from: '2026-11-01', zone: 'Europe/Berlin' });
  expect(scripted.calls[0]).toMatchObject({
    method: 'GET',
    path: '/api/webhook/search',
    headers: { accept: 'application/json' },
  });
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
  expect([...(scripted.calls[0]?.query ?? [])]).toEqual([
    ['from', '2026-11-01T00:00:00.000Z'],
    ['to', '2026-11-01T23:59:59.999Z'],
    ['status', 'FAILED'],
    ['status', 'SUCCESS'],
    ['mediaId', 'm 1'],
    ['subAccountId', 's&1'],
    ['page', '3'],
    ['size', '1000'],
  ]);
});

test.each([
  ['UTC', '2026-11-01', '2026-11-01T00:00:00.000Z', '2026-11-02T00:00:00.000Z'],
  ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
])('a day in %s as start and end is that day, also if clocks change', (zone, at, from, to) => {
  const resolved = resolveQuery({ from: at, to: at, zone }, Date.parse('2026-11-20'));
  expect(resolved).toMatchObject({ from, to });
  expect(resolveQuery(resolved, Date.parse('2026-11-20'))).toEqual(resolved);
});

test('paging details come from the headers', async () => {
  scripted.operation = () => ({
    headers: { 'X-Total-Elements': '7', 'X-Total-Pages': '4', 'X-Page': '1', 'X-Size': '2' },
    body: [{ id: 1 }, { id: 2 }],
  });
  expect(await searchDeliveries(scripted.service, day)).toMatchObject({
    items: [{ id: 1 }, { id: 2 }],
    totalElements: 7,
    totalPages: 4,
    page: 1,
    size: 2,
  });
});

describe('a wrong parameter is refused by its field, and nothing is sent', () => {
  test.each<[string, DeliveryQuery, { page?: number; size?: number }, string, string]>([
    [
      'from after to',
      { from: '2026-11-02', to: '2026-11-01' },
      {},
      'from',
      'must be before the end of the period',
    ],
    [
      'an empty range',
      { from: '2026-11-01T07:00', to: '2026-11-01T07:00' },
      {},
      'from',
      'must be before the end of the period',
    ],
    [
      'a range in Berlin, in the times of Berlin',
      { from: '2026-11-02', to: '2026-11-01', zone: 'Europe/Berlin' },
      {},
      'from',
      'must be before the end of the period (2026-11-01T00:00+01:00), but is 2026-11-02T00:00+01:00',
    ],
    ['a from in the future', { from: '2026-12-01' }, {}, 'from', 'must be before the end of the period'],
    ['a malformed from', { from: 'soon' }, {}, 'from', 'from isn\'t a valid date: "soon"'],
    ['a malformed to', { from: '-1d', to: 'later' }, {}, 'to', 'to isn\'t a valid date: "later"'],
    [
      'an unknown status',
      { ...day, status: ['BROKEN' as 'FAILED'] },
      {},
      'status',
      'must be one of FAILED, SUCCESS',
    ],
    ['an empty media id', { ...day, mediaId: '' }, {}, 'mediaId', 'mediaId is empty'],
    ['size 1001', day, { size: 1001 }, 'size', 'size is 1001'],
    ['size 0', day, { size: 0 }, 'size', 'size is 0'],
    ['page -1', day, { page: -1 }, 'page', 'page is -1'],
  ])('%s', async (_name, query, request, field, message) => {
    await expect(searchDeliveries(scripted.service, query, request)).rejects.toMatchObject({
      code: 'Validation',
      facts: { field },
      message: expect.stringContaining(message),
    });
    expect(scripted.calls).toHaveLength(0);
  });
});

/** A service that counts its pages from `base` and says so in X-Page. */
function paged(
  records: number,
  base: number,
  write: (ids: number[], call: SeenCall) => ScriptedAnswer,
): void {
  scripted.operation = (call) => {
    const page = call.query.has('page') ? Number(call.query.get('page')) : base;
    const size = Number(call.query.get('size'));
    const first = (page - base) * size;
    const ids = Array.from(
      { length: Math.max(0, Math.min(size, records - first)) },
      (_, index) => first + index,
    );
    const answer = write(ids, call);
    return {
      ...answer,
      headers: { 'X-Total-Elements': String(records), 'X-Page': String(page), ...answer.headers },
    };
  };
}

test.each([0, 1])(
  'all deliveries come once from a service that counts pages from %i, over a fixed range',
  async (base) => {
    paged(25, base, (ids) => {
      clock.advance(60_000);
      return { body: ids.map((id) => ({ id })) };
    });
    const found: unknown[] = [];
    for await (const { id } of eachDelivery(scripted.service, { from: '-24h' }, { size: 10 })) found.push(id);
    expect(found).toEqual(Array.from({ length: 25 }, (_, id) => id));
    expect(scripted.calls.map(({ query }) => query.get('page'))).toEqual([
      null,
      String(base + 1),
      String(base + 2),
    ]);
    expect(new Set(scripted.calls.map(({ query }) => query.get('to')))).toEqual(
      new Set(['2026-11-02T05:59:59.999Z']),
    );
  },
);

test('deliveries end at the limit', async () => {
  paged(25, 0, (ids) => ({ body: ids.map((id) => ({ id })) }));
  const found: unknown[] = [];
  for await (const { id } of eachDelivery(scripted.service, day, { size: 10, limit: 11 })) found.push(id);
  expect(found).toHaveLength(11);
  expect(scripted.calls).toHaveLength(2);
});

const readersOf = (query: DeliveryQuery): [string, () => AsyncIterable<unknown>][] => [
  ['all deliveries', () => eachDelivery(scripted.service, query, { size: 10 })],
  ['a CSV export', () => exportDeliveries(scripted.service, query, { format: 'csv', size: 10 })],
  ['a JSON export', () => exportDeliveries(scripted.service, query, { format: 'jsonl', size: 10 })],
];

/** A page as the client asks for it: as CSV or as JSON. */
function pageOf(ids: number[], headers: Record<string, string>, accept: string | undefined): ScriptedAnswer {
  if (accept !== 'text/csv') return { headers, body: ids.map((id) => ({ id })) };
  const body = `id,status\n${ids.map((id) => `${id},FAILED\n`).join('')}`;
  return { headers: { ...headers, 'content-type': 'text/csv' }, body };
}

/** The error with which the reading ends, if any. */
async function endOf(pieces: AsyncIterable<unknown>): Promise<unknown> {
  try {
    for await (const piece of pieces) expect(piece).toBeDefined();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('a delivery that leaves the filter after the first page ends without a silent gap', () => {
  test.each(
    readersOf(day).flatMap(([name, read]) =>
      ['oldest', 'newest'].map((order) => [name, order, read] as const),
    ),
  )('%s, %s first', async (_name, order, read) => {
    let ids = Array.from({ length: 25 }, (_none, id) => id);
    if (order === 'newest') ids.reverse();
    scripted.operation = ({ query, headers }) => {
      const page = Number(query.get('page') ?? 0);
      const found = ids.slice(page * 10, page * 10 + 10);
      const total = { 'X-Total-Elements': String(ids.length), 'X-Page': String(page) };
      // Redelivered: the record that the second page would have begun with moves to the first.
      ids = ids.filter((id) => id !== 3);
      return pageOf(found, total, headers.accept);
    };
    const failure = await endOf(read());
    expect(failure).toMatchObject({
      code: 'UnreadableAnswer',
      message: expect.stringContaining('incomplete, because the total fell from 25 to 24'),
      facts: { hint: expect.stringContaining('Run it again.') },
    });
    expect(scripted.calls).toHaveLength(2);
  });
});

test.each([
  [1, 24, 5],
  [9, 'incomplete', 6],
])('read again if fewer: %s deliveries leave one by one, the result is %s', async (leave, result, calls) => {
  let ids = Array.from({ length: 25 }, (_none, id) => id);
  scripted.operation = ({ query }) => {
    const page = Number(query.get('page') ?? 0);
    const found = ids.slice(page * 10, page * 10 + 10);
    const total = { 'X-Total-Elements': String(ids.length), 'X-Page': String(page) };
    if (page === 0) ids = ids.filter((id) => id >= leave || id !== Math.min(...ids));
    return { headers: total, body: found.map((id) => ({ id })) };
  };
  const read = readAgainIfFewer(async () => {
    const found: unknown[] = [];
    for await (const record of eachDelivery(scripted.service, day, { size: 10 })) found.push(record);
    return found;
  });
  if (typeof result === 'string') await expect(read).rejects.toThrow(result);
  else expect(await read).toEqual(ids.map((id) => ({ id })));
  expect(ids.length).toBe(typeof result === 'string' ? 22 : result);
  expect(scripted.calls).toHaveLength(calls);
});

describe('an export', () => {
  async function exported(request: ExportRequest): Promise<string> {
    let text = '';
    for await (const piece of exportDeliveries(scripted.service, day, request)) text += piece;
    return text;
  }

  const csv = (ids: number[]): ScriptedAnswer => ({
    headers: { 'content-type': 'text/csv' },
    body: `id,status\r\n${ids.map((id) => `${id},"FAI\nLED"\r\n`).join('')}`,
  });

  test('as CSV joins all pages under one header and reports its progress', async () => {
    paged(25, 0, csv);
    const pages: unknown[] = [];
    const text = await exported({ format: 'csv', size: 10, onPage: (page) => pages.push(page) });
    expect(text).toBe(csv(Array.from({ length: 25 }, (_, id) => id)).body);
    expect(scripted.calls.map(({ headers }) => headers.accept)).toEqual(Array(3).fill('text/csv'));
    expect(pages).toEqual([
      { page: 1, records: 10, recordsSoFar: 10, totalElements: 25 },
      { page: 2, records: 10, recordsSoFar: 20, totalElements: 25 },
      { page: 3, records: 5, recordsSoFar: 25, totalElements: 25 },
    ]);
  });

  test('as CSV drops a page whose answer broke off, and requests it again', async () => {
    paged(4, 0, csv);
    const whole = scripted.operation;
    let cut = 0;
    scripted.operation = (call, request, response) => {
      if (!call.query.has('page') || (cut += 1) > 2) return whole(call, request, response);
      response.writeHead(200, { 'content-length': '1000', 'content-type': 'text/csv' });
      response.write('id,status\r\n2,FAI', () => request.socket.destroy());
      return undefined;
    };
    expect(await exported({ format: 'csv', size: 2 })).toBe(csv([0, 1, 2, 3]).body);
    expect(scripted.calls).toHaveLength(4);
  });

  test.each([
    ['nothing found, header only', 'id,status\r\n', 'id,status\r\n'],
    ['nothing found, empty answer', '', ''],
  ])('as CSV with %s', async (_name, body, text) => {
    scripted.operation = () => ({ headers: { 'content-type': 'text/csv' }, body });
    expect(await exported({ format: 'csv' })).toBe(text);
    expect(scripted.calls).toHaveLength(1);
  });

  test.each([
    ['HTML', { headers: { 'content-type': 'text/html' }, body: '<html>private</html>' }],
    ['JSON', { body: [{ title: 'private' }] }],
  ])('as CSV refuses an answer that is %s', async (_name, answer) => {
    scripted.operation = () => answer;
    const failure = await exported({ format: 'csv' }).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'UnreadableAnswer',
      message: expect.stringContaining('expected CSV'),
    });
    expect(JSON.stringify(failure)).not.toContain('private');
  });

  test.each([0, 1, 2, 25])(
    'of %i records as JSON is one array, and as JSON lines one record per line',
    async (records) => {
      paged(records, 0, (ids) => ({ body: ids.map((id) => ({ id })) }));
      const all = Array.from({ length: records }, (_, id) => ({ id }));
      expect(JSON.parse(await exported({ format: 'json', size: 10 }))).toEqual(all);
      expect(await exported({ format: 'jsonl', size: 10 })).toBe(
        all.map((item) => `${JSON.stringify(item)}\n`).join(''),
      );
    },
  );

  test('requests no further page after it is given up', async () => {
    paged(25, 0, csv);
    const pieces = exportDeliveries(scripted.service, day, { format: 'csv', size: 10 });
    await pieces.next();
    await pieces.return(undefined);
    expect(scripted.calls).toHaveLength(1);
  });
});

describe('an answer in another character set', () => {
  const withCharset = (charset: string, body: Buffer, type = 'text/csv'): void => {
    scripted.operation = (_call, _request, response) => {
      response.writeHead(200, { 'content-type': `${type}; charset=${charset}` }).end(body);
      return undefined;
    };
  };
  const exported = async (): Promise<string> => {
    let text = '';
    for await (const piece of exportDeliveries(scripted.service, day, { format: 'csv' })) text += piece;
    return text;
  };

  test.each([
    ['ISO-8859-1', 'latin1'],
    ['"windows-1252"', 'latin1'],
    ['utf-16le', 'utf16le'],
    ['utf-8', 'utf8'],
  ] as const)('%s is exported letter by letter', async (charset, encoding) => {
    withCharset(charset, Buffer.from('id,title\n1,Küche\n', encoding));
    expect(await exported()).toBe('id,title\n1,Küche\n');
  });

  test('is read as JSON as well', async () => {
    withCharset('ISO-8859-15', Buffer.from('[{"title":"Küche"}]', 'latin1'), 'application/json');
    expect((await searchDeliveries(scripted.service, day)).items).toEqual([{ title: 'Küche' }]);
  });

  test('is refused by its name if nobody knows it', async () => {
    withCharset('klingon', Buffer.from('id\n1\n'));
    await expect(exported()).rejects.toMatchObject({
      code: 'UnreadableAnswer',
      message: 'webhook search: the character set of the answer is not known: text/csv; charset=klingon',
    });
  });
});

describe('a failed delivery that leaves the first page while the total shows nothing', () => {
  const changes: [string, number, (ids: number[]) => number[], boolean][] = [
    ['because another one fails', 0, (ids) => [...ids.slice(1), 25], true],
    ['because the service sends none', 1, (ids) => ids.slice(1), true],
    ['because one moves to the front', 0, (ids) => [25, ...ids], false],
  ];
  test.each(
    readersOf({ ...day, status: ['FAILED'] }).flatMap(([name, read]) =>
      changes.map(([why, ...change]) => [name, why, change, read] as const),
    ),
  )('is noticed by %s, %s', async (_name, _why, [base, change, isSkipped], read) => {
    let ids = Array.from({ length: 25 }, (_none, id) => id);
    scripted.operation = ({ query, headers }) => {
      const [page, size] = [Number(query.get('page') ?? base) - base, Number(query.get('size'))];
      const found = ids.slice(page * size, page * size + size);
      const total = base === 0 ? { 'X-Total-Elements': '25' } : { 'X-Page': String(page + base) };
      if (scripted.calls.length === 1) ids = change(ids);
      return pageOf(found, total, headers.accept);
    };
    const failure = await endOf(read());
    if (!isSkipped) expect(failure).toBeUndefined();
    else
      expect(failure).toMatchObject({
        code: 'UnreadableAnswer',
        message: expect.stringContaining('incomplete, because records moved'),
      });
  });
});
