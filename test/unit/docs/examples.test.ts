import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../support/pack';
import { type PageBlock, TYPESCRIPT_PAGES, blocksToRun } from '../../support/page-blocks';
import { useTempDir } from '../../support/use-temp-dir';

/** What the pages presuppose, unless the example declares it. */
const PRESUPPOSED: Readonly<Record<string, string>> = {
  account: 'Account',
  client: 'Client',
  baseUrl: 'string',
  uploadUrl: 'string',
  apiKey: 'string',
  secretKey: 'string',
  externalId: 'string',
};

/** The entries of the package, as its sources. */
const ENTRIES = {
  'media-service/api': [join(ROOT, 'client/index.ts')],
  'media-service/temporal': [join(ROOT, 'temporal/index.ts')],
};

function codeOf({ text }: PageBlock): string {
  const declared = Object.entries(PRESUPPOSED)
    .filter(([name]) => !text.includes(`const ${name} `))
    .map(([name, type]) => `declare const ${name}: ${type};`);
  const types = "import type { Account, Client } from 'media-service/api';";
  return [types, ...declared, text].join('\n');
}

const folder = useTempDir('examples');

test('the TypeScript of the docs compiles in strict mode', async () => {
  const examples = TYPESCRIPT_PAGES.flatMap((page) => blocksToRun(page, ['ts']));
  expect(examples.length).toBeGreaterThan(6);
  for (const example of examples) {
    const name = `${example.page.replaceAll('/', '-')}-${example.line}.mts`;
    await writeFile(join(folder.path, name), codeOf(example));
  }
  const own = { noEmit: true, noUnusedLocals: false, rootDir: '/', paths: ENTRIES };
  const typeRoots = [join(ROOT, 'node_modules/@types')];
  const settings = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: { ...own, typeRoots },
    include: ['*.mts'],
  };
  await writeFile(join(folder.path, 'tsconfig.json'), JSON.stringify(settings));
  const compiler = join(ROOT, 'node_modules/typescript-native/bin/tsc');
  const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', folder.path]).catch(
    (error: unknown) => error as { readonly stdout: string },
  );
  expect(stdout).toBe('');
});
