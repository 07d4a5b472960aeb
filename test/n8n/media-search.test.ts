import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { INodeParameters } from 'n8n-workflow';
import { afterTest } from '../support/after-test';
import { secretsIn } from '../support/canary';
import { listen } from '../support/listen';
import { asText } from './support/as-text';
import { credentialOf } from './support/credential';
import { storedText } from './support/run-workflow';
import type { NodeRun, runNode } from './support/run-workflow';
import { ownService, useService } from './support/service-setting';

const on = useService();
const TOKEN = 'token-of-the-service';

const search = (parameters: INodeParameters, more: Partial<NodeRun> = {}): ReturnType<typeof runNode> =>
  on.run({ resource: 'media', operation: 'search', ...parameters }, more);

interface Asked {
  readonly query: URLSearchParams;
  readonly headers: object;
  readonly body: string;
}

/** The credential of a service that takes every login and answers searches so. */
async function serve(answer: (asked: Asked) => object, status = 200): Promise<Pick<NodeRun, 'credentials'>> {
  const server = createServer((request, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://localhost');
    const isLogin = pathname === '/api/login';
    void text(request).then((body) => {
      const asked = { query, headers: request.headers, body };
      response.writeHead(isLogin ? 200 : status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isLogin ? { accessToken: TOKEN } : answer(asked)));
    });
  });
  const { url, close } = await listen(server);
  afterTest(close);
  const own = { baseUrl: url, uploadUrl: url, advanced: true, sortSeparator: ' ' };
  return { credentials: { mediaServiceApi: credentialOf(on.simulator, own) } };
}

describe('Media > Search', () => {
  test('ends at Limit, and requests no more than it needs', async () => {
    const before = on.simulator.seen().requests['search'] ?? 0;
    const { items } = await search({ limit: 7 });
    expect(items).toHaveLength(7);
    expect(on.simulator.seen().requests['search']).toBe(before + 1);
  });

  test.each<[string, INodeParameters, object, string[]]>([
    [
      'each filter that is given',
      { filters: { type: 'AUDIO', isLibrary: true, isActive: false, tags: '{"project":"beta"}' } },
      { type: 'AUDIO', isLibrary: true, isActive: false, tags: { project: 'beta' } },
      [],
    ],
    ['IDs from a text with commas', { filters: { ids: ' b, a ' } }, { ids: ['b', 'a'] }, []],
    ['IDs from a list', { filters: { ids: '={{ $json.wanted }}' } }, { ids: ['b', 'a'] }, []],
    [
      'sort rules in order, each with direction and case, and the Sort Separator of the credential',
      { sort: 'creator,desc,ignorecase; title,ASC' },
      {},
      ['creator DESC ignorecase', 'title ASC'],
    ],
  ])('sends %s', async (_what, parameters, filter, sort) => {
    const seen: [unknown, string[]][] = [];
    const service = await serve(({ query, body }) => {
      seen.push([JSON.parse(body), query.getAll('sort')]);
      return [];
    });
    const { error } = await search(parameters, { ...service, items: [{ json: { wanted: ['b', 'a'] } }] });
    expect(error).toBeUndefined();
    expect(seen).toEqual([[filter, sort]]);
  });

  test('returns the common fields with Simplify, and everything without it', async () => {
    const simple = (await search({ limit: 1 })).items[0]?.json;
    const raw = (await search({ limit: 1, simplify: false })).items[0]?.json;
    const names = Object.keys(simple ?? {});
    expect(names.slice(0, 4)).toEqual(['id', 'title', 'type', 'fileType']);
    expect(names.length).toBeLessThan(Object.keys(raw ?? {}).length);
    expect(simple).toMatchObject({ id: raw?.['id'], title: raw?.['title'], tags: raw?.['tags'] });
    expect(raw).toHaveProperty('sanitizedTitle');
  });

  test('pairs every output item with the input item that asked for it', async () => {
    const { items } = await search(
      { limit: 2, filters: { type: '={{ $json.type }}' } },
      { items: [{ json: { type: 'VIDEO' } }, { json: { type: 'IMAGE' } }] },
    );
    expect(items.map(({ json, pairedItem }) => [json['type'], pairedItem])).toEqual([
      ['VIDEO', { item: 0 }],
      ['VIDEO', { item: 0 }],
      ['IMAGE', { item: 1 }],
      ['IMAGE', { item: 1 }],
    ]);
  });
});

describe('Media > Get', () => {
  const get = (value: string, more: INodeParameters = {}): ReturnType<typeof runNode> =>
    search({ operation: 'get', mediaId: value, ...more });

  test('returns the item with this ID, paired with its input item', async () => {
    const media = (await search({ limit: 8, simplify: false })).items.at(-1)?.json;
    const { items, error } = await get(asText(media?.['id']), { simplify: false });
    expect(error).toBeUndefined();
    expect(items).toEqual([expect.objectContaining({ json: media, pairedItem: { item: 0 } })]);
  });

  test('says that no item has the ID, and which ID is meant', async () => {
    const { items, error } = await get('upload-1');
    expect(items).toEqual([]);
    expect(error?.message).toBe('No media item has this ID: upload-1');
    expect(error?.description).toMatch(/media ID of an upload's output/);
  });
});

describe('failing items', () => {
  const items = [{ json: { limit: 1 } }, { json: { limit: -5 } }, { json: { limit: 1 } }];
  const parameters = { limit: '={{ $json.limit }}' };

  test('end the run without "continue", and the error names the item', async () => {
    const { error } = await search(parameters, { items });
    expect(error).toMatchObject({
      message: expect.stringMatching(/"Limit" is -5/),
      context: { itemIndex: 1 },
    });
  });

  test('become paired output items with message, hint and code with "continue"', async () => {
    const run = await search(parameters, { items, onError: 'continueRegularOutput' });
    expect(run.error).toBeUndefined();
    expect(run.items).toHaveLength(3);
    expect(run.items[1]).toMatchObject({
      json: {
        error: expect.stringMatching(/"Limit" is -5/),
        details: { hint: expect.any(String), code: 'Validation', field: 'limit' },
      },
      pairedItem: { item: 1 },
    });
  });
});

describe('tokens', () => {
  test('are shared: many items and several executions at once log in once', async () => {
    const { simulator, credentials } = await ownService();
    const items = Array.from({ length: 5 }, (_, id) => ({ json: { id } }));
    const runs = await Promise.all([1, 2, 3, 4].map(() => search({ limit: 1 }, { credentials, items })));
    expect(runs.map((run) => run.items.length)).toEqual([5, 5, 5, 5]);
    expect(simulator.seen().logins).toBe(1);
  });

  test('stay out of everything that n8n stores of a run, as do keys and signatures', async () => {
    const { secretKey, apiKey } = on.simulator.account;
    on.simulator.fault('search-html');
    for (const run of [await search({ limit: 1 }), await search({ limit: 1 }), await search({ limit: -1 })]) {
      const stored = storedText(run.run);
      expect(stored).not.toContain(secretKey);
      expect(stored).not.toContain(apiKey);
      expect(stored).not.toMatch(/bearer|eyJ/i);
      expect(run.storedCredentials['mediaServiceApi']?.['accessToken']).toBe('');
    }
  });

  test('stay out of the error of a service that echoes the headers of a request', async () => {
    const echo = ({ headers }: Asked): object => ({ message: `Refused ${JSON.stringify(headers)}` });
    const { error, run } = await search({}, await serve(echo, 403));
    expect(error?.message).toMatch(/403.*Refused .*"authorization":/);
    expect(secretsIn(storedText(run), [TOKEN])).toEqual([]);
  });
});

test('cancelling an execution ends a search that waits for its answer, even if the node continues after errors', async () => {
  const own = on.simulator.seen().requests['search'] ?? 0;
  on.simulator.fault('search-silent');
  const stop = new AbortController();
  const last = on.simulator.events().at(-1)?.seq ?? 0;
  const struck = on.simulator.waitFor(({ event, seq }) => event === 'fault' && seq > last);
  const running = search({}, { onError: 'continueRegularOutput', signal: stop.signal });
  await struck;
  stop.abort();
  const { run } = await running;
  expect(run.status).toBe('canceled');
  expect(on.simulator.seen().requests['search']).toBe(own + 1);
});

describe('many records', () => {
  const PAGE = 500;
  /** More items than one call can take as arguments. */
  const PAGES = 300;

  test('Return All returns 150,000 media for one item', async () => {
    const service = await serve(({ query }) => {
      const page = Number(query.get('page'));
      return Array.from({ length: page < PAGES ? PAGE : 0 }, (_, n) => ({ id: page * PAGE + n }));
    });
    const { items, error } = await search({ returnAll: true }, service);
    expect([error, items.length]).toEqual([undefined, PAGE * PAGES]);
    expect(items.at(-1)?.json).toEqual({ id: PAGE * PAGES - 1 });
  });

  test('10,000 refused items go to the error output, each paired with its own, and n8n gets a turn after each 20', async () => {
    const refused = 10_000;
    const { requests } = on.simulator.seen();
    let rounds = 0;
    let next = setImmediate(function turn() {
      rounds += 1;
      next = setImmediate(turn);
    });
    try {
      const { items, errorItems } = await search(
        { limit: '={{ -1 - $json.n }}' },
        {
          items: Array.from({ length: refused }, (_, n) => ({ json: { n } })),
          onError: 'continueErrorOutput',
        },
      );
      expect(items).toEqual([]);
      expect(errorItems.map(({ json, pairedItem }) => [json['n'], pairedItem])).toEqual(
        Array.from({ length: refused }, (_, n) => [n, { item: n }]),
      );
      expect(errorItems.at(-1)?.json).toMatchObject({ error: expect.stringMatching(/limit/i) });
      expect(rounds).toBeGreaterThanOrEqual(refused);
      expect(on.simulator.seen().requests).toEqual(requests);
    } finally {
      clearImmediate(next);
    }
  });
});
