import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { transformSync } from '@swc/core';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createContext, runInContext } from 'node:vm';
import * as api from '../../../api/index';
import type { Simulator } from '../../../simulator/simulator';
import { startSimulator } from '../../../simulator/start-simulator';

const guide = path.join(__dirname, '../../../docs/guide-api.md');
const readme = path.join(__dirname, '../../../README.md');

let simulator: Simulator;
let client: api.Client;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'guide-'));
  for (const name of ['clip.mp4', 'film.mp4'])
    await writeFile(path.join(folder, name), Buffer.alloc(100_000, 7));
  simulator = await startSimulator({ processingMs: 10, seed: { media: 40, deliveries: 80 } });
  const { baseUrl, uploadUrl, account } = simulator;
  client = api.createClient({ baseUrl, uploadUrl, ...account });
});

afterAll(async () => {
  await client.close();
  await simulator.close();
  await rm(folder, { recursive: true });
});

/** The TypeScript code of a chapter. The context provides its imports, and its files are in a temporary folder. */
async function codeOf(chapter: string, page: string): Promise<string> {
  const text = (await readFile(page, 'utf8')).split(`\n## ${chapter}\n`)[1];
  const block = /```ts\n([\s\S]*?)```/.exec(text ?? '')?.[1] ?? '';
  const body = block.replace(/^import .*$/gm, '');
  const script = `(async () => {${body}})()`;
  return transformSync(script, { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } }).code;
}

/** The same client, with its files in the temporary folder. */
function inFolder(opened: api.Client): api.Client {
  const { file, url, session } = opened.upload;
  return {
    ...opened,
    upload: { url, session, file: (name, more) => file(path.join(folder, name), more) },
  };
}

async function run(chapter: string, page = guide): Promise<string[]> {
  const { baseUrl, uploadUrl, account } = simulator;
  const printed: string[] = [];
  const print = (...values: unknown[]): void => {
    printed.push(
      values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' '),
    );
  };
  const context = createContext({
    ...api,
    ...account,
    baseUrl,
    uploadUrl,
    account: { baseUrl, uploadUrl, ...account },
    client: inFolder(client),
    createClient: (...given: Parameters<typeof api.createClient>) => inFolder(api.createClient(...given)),
    console: { log: print, error: print },
    createWriteStream: (name: string) => createWriteStream(path.join(folder, name)),
    pipeline,
  });
  await runInContext(await codeOf(chapter, page), context);
  return printed;
}

test('the quick start of the README prints media and uploads a file', async () => {
  const before = simulator.seen().sessions.length;
  const media = await run('Quick start: TypeScript', readme);
  expect(media.length).toBeGreaterThan(0);
  expect(media.map((text) => Object.keys(JSON.parse(text) as object).includes('id'))).not.toContain(false);
  expect(simulator.seen().sessions.slice(before)).toEqual([
    expect.objectContaining({ completesAccepted: 1, completesRefused: 0 }),
  ]);
});

test('the example of an account logs in', async () => {
  await run('An account');
  expect(simulator.seen().logins).toBeGreaterThan(0);
});

test('the example of a search prints media', async () => {
  const [first, ...media] = await run('Search media');
  expect(first).toMatch(/^\d+ of \d+$/);
  expect(media.length).toBeGreaterThan(0);
  expect(media.join()).not.toContain('undefined');
});

test('the example of webhook deliveries writes them to a file', async () => {
  const printed = await run('Webhook deliveries');
  const csv = await readFile(path.join(folder, 'deliveries.csv'), 'utf8');
  expect(printed[0]).toMatch(/^\d+ deliveries failed yesterday$/);
  expect(printed.at(-1)).toMatch(/^(\d+) of \1$/);
  expect(csv.split(/\r?\n/).length).toBeGreaterThan(10);
});

test('the example of an upload ends COMPLETED, its parts verified', async () => {
  expect((await run('Upload a file')).at(-1)).toMatch(/^\S+ COMPLETED 1 parts, true$/);
});

test('the example of an error prints what the guide says', async () => {
  expect(await run('Errors')).toEqual([
    'Validation size is 1001: it must be between 0 and 1000 Use a smaller size. To read more than one page, use each().',
  ]);
});
