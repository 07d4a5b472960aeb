import { createWriteStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createContext, runInContext } from 'node:vm';
import { transformSync } from '@swc/core';
import * as api from '../../../client/index';
import type { Simulator } from '../../../simulator/start-simulator';
import { startSimulator } from '../../../simulator/start-simulator';
import { blocksToRun } from '../../support/page-blocks';
import type { PageBlock } from '../../support/page-blocks';
import { useTempDir } from '../../support/use-temp-dir';

let simulator: Simulator;
let client: api.Client;
const folder = useTempDir('guide');

beforeAll(async () => {
  for (const name of ['clip.mp4', 'film.mp4'])
    await writeFile(path.join(folder.path, name), Buffer.alloc(100_000, 7));
  simulator = await startSimulator({ processingMs: 10, seed: { media: 40, deliveries: 80 } });
  const { baseUrl, uploadUrl, account } = simulator;
  client = api.createClient({ baseUrl, uploadUrl, ...account });
});

afterAll(async () => {
  await client.close();
  await simulator.close();
});

/** The context provides its imports, and its files are in a temporary folder. */
function codeOf({ text }: PageBlock): string {
  const body = text.replace(/^import .*$/gm, '');
  const script = `(async () => {${body}\n})()`;
  return transformSync(script, { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } }).code;
}

/** The same client, with its files in the temporary folder. */
function inFolder(opened: api.Client): api.Client {
  const { file, url, session } = opened.upload;
  return {
    ...opened,
    upload: { url, session, file: (name, more) => file(path.join(folder.path, name), more) },
  };
}

async function run(example: PageBlock): Promise<string[]> {
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
    createWriteStream: (name: string) => createWriteStream(path.join(folder.path, name)),
    pipeline,
  });
  await runInContext(codeOf(example), context);
  return printed;
}

/** What the example of each chapter does, by what it prints. */
const EXAMPLES: Readonly<Record<string, (printed: readonly string[]) => void | Promise<void>>> = {
  'Quick start: TypeScript': (media) => {
    expect(media.length).toBeGreaterThan(0);
    expect(media.map((text) => Object.keys(JSON.parse(text) as object).includes('id'))).not.toContain(false);
    const sessions = simulator.seen().sessions.filter(({ title }) => title === 'Film');
    expect(sessions).toEqual([expect.objectContaining({ completesAccepted: 1, completesRefused: 0 })]);
  },
  'An account': () => expect(simulator.seen().logins).toBeGreaterThan(0),
  'Search media': ([first, ...media]) => {
    expect(first).toMatch(/^\d+ of \d+$/);
    expect(media.length).toBeGreaterThan(0);
    expect(media.join()).not.toContain('undefined');
  },
  'Webhook deliveries': async (printed) => {
    const csv = await readFile(path.join(folder.path, 'deliveries.csv'), 'utf8');
    expect(printed[0]).toMatch(/^\d+ deliveries failed yesterday$/);
    expect(printed.at(-1)).toMatch(/^(\d+) of \1$/);
    expect(csv.split(/\r?\n/).length).toBeGreaterThan(10);
  },
  'Upload a file': (printed) => expect(printed.at(-1)).toMatch(/^\S+ COMPLETED 1 parts, true$/),
  Errors: (printed) =>
    expect(printed).toEqual([
      'Validation size is 1001: it must be between 0 and 1000 To get everything, use each() without a limit.',
    ]),
};

const examples = ['README.md', 'docs/guide-api.md'].flatMap((page) => blocksToRun(page, ['ts']));

test.each(examples.map((example) => [example.page, example.chapter, example] as const))(
  'the example of %s, "%s", does what the page says',
  async (_page, chapter, example) => {
    const printed = await run(example);
    await EXAMPLES[chapter]?.(printed);
  },
);

test('every example of the README and the guide has an expectation here', () => {
  expect(examples.map(({ chapter }) => chapter)).toEqual(Object.keys(EXAMPLES));
});
