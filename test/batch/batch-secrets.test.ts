import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readBatchListing } from '../../temporal/client/batch/list-batches';
import { accountOfBatch, batchFolder, startRows, statuses } from '../support/batch-bed';
import { secretsIn } from '../support/canary';
import { storedTree } from '../support/stored-texts';
import type { StoredWorkflow } from '../support/stored-texts';
import { HELD, useUploadBed } from '../support/upload-bed';

/** What makes an address usable, who may read sources, and what signs in to the service. */
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
/** A JSON web token: the simulator's access tokens. */
const TOKEN = /eyJ[\w-]+\.[\w-]+/;
/** May be read wherever titles, tags and metadata may: that they are found shows that the search looks there. */
const SHOWN = ['title-canary', 'encoded/canary', 'base64-canary'];

const account = { apiKey: 'api-key-canary', secretKey: 'secret-key-canary' };
const on = useUploadBed({ worker: false, simulator: { account } });
const server = createServer((request, response) => answer(request, response));
let host: string;
let manifest: string;
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  host = `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const secrets = join(on.bed.folder, 'secrets.json');
  const cdn = { hosts: [host], headers: { 'X-Token': 'header-token-canary' } };
  await writeFile(secrets, JSON.stringify({ cdn }));
  await on.bed.startWorker({ secrets });
});
afterAll(async () => {
  server.closeAllConnections();
  await once(server.close(), 'close');
});

/** The manifest for whoever has the password, films for whoever has the token and the query. */
function answer({ url = '', headers }: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(url, 'http://server');
  const isManifest = pathname === '/lists/films.csv';
  const basic = Buffer.from('basic-user-canary:basic-password-canary').toString('base64');
  const mayRead = isManifest
    ? headers.authorization === `Basic ${basic}` && searchParams.get('sig') === 'manifest-query-canary'
    : headers['x-token'] === 'header-token-canary' && searchParams.get('sig') === 'row-query-canary';
  if (!mayRead || pathname.includes('gone')) {
    response.writeHead(mayRead ? 404 : 403).end();
    return;
  }
  const content = Buffer.from(isManifest ? manifest : `film of ${pathname}`);
  const [, first = '0', last = ''] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? [];
  const [start, end] = [Number(first), last === '' ? content.length - 1 : Number(last)];
  response
    .writeHead(206, {
      'content-length': end - start + 1,
      'content-range': `bytes ${String(start)}-${String(end)}/${String(content.length)}`,
      etag: '"v1"',
    })
    .end(content.subarray(start, end + 1));
}

function film(name: string): string {
  return `http://${host}/films/${name}?sig=row-query-canary`;
}

interface Found {
  readonly where: string;
  readonly text: string;
}

/** Everything that Temporal stores of a batch, its pages and uploads, and every file of its folder. */
async function everyText(workflowId: string, batchId: string): Promise<Found[]> {
  const tree = await storedTree(on.bed.connection, workflowId);
  return [
    ...tree.flatMap((one) => [
      { where: `history of ${one.workflowId}`, text: one.history },
      { where: `description of ${one.workflowId}`, text: one.described },
    ]),
    ...(await filesOf(batchId)),
  ];
}

async function filesOf(batchId: string): Promise<Found[]> {
  const folder = batchFolder(on.bed, batchId);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async ({ parentPath, name }) => {
        const path = join(parentPath, name);
        return { where: path.slice(folder.length + 1), text: await readFile(path, 'utf8') };
      }),
  );
}

function leaks(texts: readonly Found[]): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const { where, text } of texts) {
    const secrets = [...secretsIn(text, SECRETS), ...(TOKEN.exec(text) ?? [])];
    if (secrets.length > 0) found[where] = secrets;
  }
  return found;
}

function shownIn(tree: readonly StoredWorkflow[], where: RegExp): string[] {
  const texts = tree.filter(({ workflowId }) => where.test(workflowId)).map(({ history }) => history);
  return secretsIn(texts.join('\n'), SHOWN);
}

const SHOWN_TITLE = `title-canary ${encodeURIComponent('encoded/canary')}`;
const SHOWN_METADATA = { note: Buffer.from('a base64-canary.').toString('base64') };

describe('what a batch of secret addresses leaves behind', () => {
  it('holds no secret where rows travel in its input, while it runs and after it has ended: only failed.csv names an address whole', async () => {
    const { bed } = on;
    for (const fault of ['put-503:1', 'put-403-expired:1', 'start-lost:1', 'hold:1'])
      bed.simulator.fault(fault);
    const rows = [
      { id: 'a', source: film('a.mp4'), title: SHOWN_TITLE, metadata: SHOWN_METADATA },
      { id: 'b', source: film('b.mp4') },
      { id: 'gone', source: film('gone.mp4') },
      { source: film('unnamed.mp4') },
    ];
    const batch = await startRows(bed, 'rows', rows, {
      options: { pageRows: 2, pagesPerRun: 1, sourceSecret: 'cdn', upload: HELD },
    });
    await bed.simulator.waitFor(({ event }) => event === 'held');
    const running = await everyText(batch.workflowId, 'rows');
    bed.simulator.release();
    const result = await batch.result();
    expect(statuses(await accountOfBatch(bed, 'rows'))).toMatchObject({ a: 'COMPLETED', gone: 'FAILED' });
    const ended = await everyText(batch.workflowId, 'rows');
    const told = [result, await batch.progress(), await readBatchListing(bed.connection, batch.workflowId)];
    expect(leaks([...running, { where: 'what a client is told', text: JSON.stringify(told) }])).toEqual({});
    // The manifest of the failed rows is the user's own again.
    expect(leaks(ended)).toEqual({ 'failed.csv': ['row-query-canary'] });
    const tree = await storedTree(bed.connection, batch.workflowId);
    for (const where of [/^batch\/[^/]+\/[^/]+$/, /\/page-0$/]) expect(shownIn(tree, where)).toEqual(SHOWN);
    for (const [file, shown] of [
      ['rows/000000.jsonl', SHOWN],
      ['account.jsonl', SHOWN.slice(0, 2)],
      ['account.csv', SHOWN.slice(0, 2)],
    ] as const) {
      const text = ended.find(({ where }) => where === file)?.text ?? '';
      expect([file, secretsIn(text, SHOWN)]).toEqual([file, shown]);
    }
    expect(ended.filter(({ where }) => where.startsWith('pages/')).length).toBeGreaterThan(1);
  });

  it('holds no secret where its manifest lies behind a password', async () => {
    const { bed } = on;
    manifest = `source,title,id\n${film('c.mp4')},Film C,c\n${film('gone.mp4')},Gone,gone\n`;
    const url = `http://basic-user-canary:basic-password-canary@${host}/lists/films.csv?sig=manifest-query-canary`;
    const batch = await startRows(bed, 'list', [], {
      manifest: { source: { kind: 'http', url, label: '' }, format: 'csv' },
      options: { sourceSecret: 'cdn' },
    });
    const { counts } = await batch.result();
    expect(counts).toMatchObject({ completed: 1, failed: 1 });
    expect(leaks(await everyText(batch.workflowId, 'list'))).toEqual({ 'failed.csv': ['row-query-canary'] });
  });

  it.each([
    ['with a password', () => `http://basic-user-canary:basic-password-canary@${host}/films/a.mp4`],
    ['after a space', () => ` ${film('a.mp4')}`],
    ['without its slashes', () => film('a.mp4').replace('//', '')],
    ['in capitals, and no URL', () => `HTTP://[${host}/films/a.mp4?sig=row-query-canary`],
  ])('holds no secret where an address %s is refused', async (label, source) => {
    const { bed } = on;
    const batchId = `refused-${label.replaceAll(/\W/g, '-')}`;
    const rows = [{ id: 'a', source: source(), fileType: 'MP4' }];
    const options = { sourceFolder: bed.folder };
    const path = join(bed.folder, `${batchId}.jsonl`);
    await writeFile(path, `${JSON.stringify(rows[0])}\n`);
    const manifest = { source: { kind: 'path', path }, format: 'jsonl' } as const;
    const batch = await startRows(bed, batchId, [], { manifest, options });
    const refusals: unknown[] = await Promise.all([
      batch.result().catch((error: unknown) => error),
      startRows(bed, `${batchId}-rows`, rows, { options }).catch((error: unknown) => error),
    ]);
    const wrong = expect.objectContaining({ code: 'Validation', message: expect.stringContaining('line 1') });
    expect(refusals).toEqual([wrong, wrong]);
    const told = JSON.stringify(
      refusals.map((refusal) => [
        refusal,
        ...(refusal instanceof Error ? [refusal.message, refusal.stack] : []),
      ]),
    );
    const texts = await everyText(batch.workflowId, batchId);
    expect(leaks([...texts, { where: 'what a client is told', text: told }])).toEqual({});
  });
});
