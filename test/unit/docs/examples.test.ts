import { expect, test } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
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

/** The compiler's findings in these files, with the settings of the project. */
function findingsIn(files: readonly string[]): string[] {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
    config: { compilerOptions: object };
  };
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT);
  const own = {
    noEmit: true,
    noUnusedLocals: false,
    paths: ENTRIES,
    typeRoots: [join(ROOT, 'node_modules/@types')],
  };
  const { rootDir: _rootDir, outDir: _outDir, declaration: _declaration, ...kept } = options;
  const program = ts.createProgram(files, { ...kept, ...own });
  return files
    .flatMap((file) => ts.getPreEmitDiagnostics(program, program.getSourceFile(file)))
    .map(({ messageText, file, start = 0 }) => {
      const line = file?.text.slice(0, start).split('\n').length ?? 0;
      return `${file?.fileName ?? ''}:${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
    });
}

const folder = useTempDir('examples');

test('the TypeScript of the docs compiles in strict mode', async () => {
  const examples = TYPESCRIPT_PAGES.flatMap((page) => blocksToRun(page, ['ts']));
  const files: string[] = [];
  for (const example of examples) {
    const file = join(folder.path, `${example.page.replaceAll('/', '-')}-${example.line}.mts`);
    await writeFile(file, codeOf(example));
    files.push(file);
  }
  expect(files.length).toBeGreaterThan(6);
  expect(findingsIn(files)).toEqual([]);
});
