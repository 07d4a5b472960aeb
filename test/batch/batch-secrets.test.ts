import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { readBatchListing } from '../../temporal/batch/client/list-batches';
import { reportedText } from '../chaos/activity-table/unreported';
import { batchFolder, resultsOfBatch, startRows, statuses } from '../support/batch-fixture';
import { listen, type Listening } from '../support/listen';
import { answerRange } from '../support/range-server';
import { leaksIn, secretsIn } from '../support/canary';
import { filesIn, storedTree } from '../support/stored-texts';
import type { StoredWorkflow } from '../support/stored-texts';
import { HELD, useUploadFixture } from '../support/upload-fixture';

/** Secrets that make an address usable, allow reading sources, or sign in to the service. */
const SECRETS = [
  'row-query-canary',
  'manifest-query-canary',
  'basic-user-canary',
  'basic-password-canary',
  'header-token-canary',
  'api-key-canary',
  'secret-key-canary',
  'X-Amz-Signature',
  'X-Amz-Credential',
];
/** May appear wherever titles, tags and metadata may. Finding them shows that the search looks there. */
const SHOWN = ['title-canary', 'encoded/canary', 'base64-canary'];

const account = { apiKey: 'api-key-canary', secretKey: 'secret-key-canary' };
const on = useUploadFixture({ worker: false, simulator: { account } });
let server: Listening;
let host: string;
let manifest: string;
beforeAll(async () => {
  server = await listen(createServer((request, response) => answer(request, response)));
  host = new URL(server.url).host;
  const secrets = join(on.fixture.folder, 'secrets.json');
  const cdn = { hosts: [host], headers: { 'X-Token': 'header-token-canary' } };
  await writeFile(secrets, JSON.stringify({ cdn }));
  await on.fixture.startWorker({ secrets });
});
afterAll(() => server.close());

/** Serves the manifest to its query, and films to the token and their query. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  const { url = '', headers } = request;
  const { pathname, searchParams } = new URL(url, 'http://server');
  const isManifest = pathname === '/lists/films.csv';
  const sig = searchParams.get('sig');
  const mayRead = isManifest
    ? sig === 'manifest-query-canary'
    : headers['x-token'] === 'header-token-canary' && sig === 'row-query-canary';
  if (!mayRead || pathname.includes('gone')) {
    response.writeHead(mayRead ? 404 : 403).end();
    return;
  }
  answerRange(Buffer.from(isManifest ? manifest : `film of ${pathname}`), request, response);
}

function film(name: string): string {
  return `http://${host}/films/${name}?sig=row-query-canary`;
}

/** Everything that Temporal stores of a batch, its pages and uploads, and every file of its folder. */
async function everyText(workflowId: string, batchId: string): Promise<(readonly [string, string])[]> {
  const tree = await storedTree(on.fixture.connection, workflowId);
  return [
    ...tree.map((one) => [`history of ${one.workflowId}`, one.history] as const),
    ...tree.map((one) => [`description of ${one.workflowId}`, one.described] as const),
    ...(await filesIn(batchFolder(on.fixture, batchId))),
  ];
}

function shownIn(tree: readonly StoredWorkflow[], where: RegExp): string[] {
  const texts = tree.filter(({ workflowId }) => where.test(workflowId)).map(({ history }) => history);
  return secretsIn(texts.join('\n'), SHOWN);
}

const SHOWN_TITLE = `title-canary ${encodeURIComponent('encoded/canary')}`;
const SHOWN_METADATA = { note: Buffer.from('a base64-canary.').toString('base64') };

describe('a batch of addresses that hold secrets', () => {
  it('leaves a whole address only in failed.csv when its rows are in its input, both while it runs and afterwards', async () => {
    const { fixture } = on;
    for (const fault of ['put-503:1', 'put-403-expired:1', 'start-lost:1', 'hold:1'])
      fixture.simulator.fault(fault);
    const rows = [
      { id: 'a', source: film('a.mp4'), title: SHOWN_TITLE, metadata: SHOWN_METADATA },
      { id: 'b', source: film('b.mp4') },
      { id: 'gone', source: film('gone.mp4') },
      { source: film('unnamed.mp4') },
    ];
    const options = { pageRows: 2, sourceSecret: 'cdn', upload: HELD };
    const batch = await startRows(fixture, 'rows', rows, { options });
    await fixture.simulator.waitFor(({ event }) => event === 'held');
    const running = await everyText(batch.workflowId, 'rows');
    fixture.simulator.release();
    const result = await batch.result();
    expect(statuses(await resultsOfBatch(fixture, 'rows'))).toMatchObject({ a: 'COMPLETED', gone: 'FAILED' });
    const ended = await everyText(batch.workflowId, 'rows');
    const listing = await readBatchListing(fixture.connection, batch.workflowId);
    const reported = [result, await batch.progress(), listing];
    expect(leaksIn([...running, ['what a client sees', JSON.stringify(reported)]], SECRETS)).toEqual({});
    // The manifest of the failed rows belongs to the user again.
    expect(leaksIn(ended, SECRETS)).toEqual({ 'failed.csv': ['row-query-canary'] });
    const tree = await storedTree(fixture.connection, batch.workflowId);
    expect(shownIn(tree, /^batch\/[^/]+\/[^/]+$/)).toEqual(SHOWN);
    // Rows are in the batch's folder, not in the history of their page.
    expect(shownIn(tree, /\/page-0$/)).toEqual([]);
    for (const [file, shown] of [
      ['rows/000000.jsonl', SHOWN],
      ['results.jsonl', SHOWN.slice(0, 2)],
      ['results.csv', SHOWN.slice(0, 2)],
    ] as const) {
      expect([file, secretsIn(new Map(ended).get(file) ?? '', SHOWN)]).toEqual([file, shown]);
    }
    expect(ended.filter(([where]) => where.startsWith('pages/')).length).toBeGreaterThan(1);
  });

  it('leaves no secret behind when the address of its manifest holds one', async () => {
    const { fixture } = on;
    manifest = `source,title,id\n${film('c.mp4')},Film C,c\n${film('gone.mp4')},Gone,gone\n`;
    const start = (user: string) => {
      const url = `http://${user}${host}/lists/films.csv?sig=manifest-query-canary`;
      const source = { kind: 'http', url, label: '' } as const;
      const options = { sourceSecret: 'cdn' };
      return startRows(fixture, 'list', [], { manifest: { source, format: 'csv' }, options });
    };
    const refusal = { code: 'Validation', message: 'the address holds a user name or a password' };
    await expect(start('basic-user-canary:basic-password-canary@')).rejects.toMatchObject(refusal);
    const batch = await start('');
    expect((await batch.result()).counts).toMatchObject({ completed: 1, failed: 1 });
    expect(leaksIn(await everyText(batch.workflowId, 'list'), SECRETS)).toEqual({
      'failed.csv': ['row-query-canary'],
    });
  });

  it.each([
    ['with a password', () => `http://basic-user-canary:basic-password-canary@${host}/films/a.mp4`],
    ['after a space', () => ` ${film('a.mp4')}`],
    ['without its slashes', () => film('a.mp4').replace('//', '')],
    ['in capitals, and no URL', () => `HTTP://[${host}/films/a.mp4?sig=row-query-canary`],
  ])('leaves no secret behind if an address %s is refused', async (label, source) => {
    const { fixture } = on;
    const batchId = `refused-${label.replaceAll(/\W/g, '-')}`;
    const rows = [{ id: 'a', source: source(), fileType: 'MP4' }];
    const options = { sourceFolder: fixture.folder };
    const path = join(fixture.folder, `${batchId}.jsonl`);
    await writeFile(path, `${JSON.stringify(rows[0])}\n`);
    const manifest = { source: { kind: 'path', path }, format: 'jsonl' } as const;
    const batch = await startRows(fixture, batchId, [], { manifest, options });
    const refusals: unknown[] = await Promise.all([
      batch.result().catch((error: unknown) => error),
      startRows(fixture, `${batchId}-rows`, rows, { options }).catch((error: unknown) => error),
    ]);
    const wrong = expect.objectContaining({ code: 'Validation', message: expect.stringContaining('line 1') });
    expect(refusals).toEqual([wrong, wrong]);
    const texts = await everyText(batch.workflowId, batchId);
    expect(leaksIn([...texts, ['what a client sees', reportedText(refusals)]], SECRETS)).toEqual({});
  });
});
