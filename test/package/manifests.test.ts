import { readFile, readdir } from 'node:fs/promises';
import { createRequire, isBuiltin } from 'node:module';
import { join } from 'node:path';
import { ROOT } from '../support/pack';

interface Manifest {
  readonly version: string;
  readonly private: boolean;
  readonly publishConfig: object;
  readonly engines: { readonly node: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const SECOND = join(ROOT, 'packages', 'media-service');

async function manifestOf(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** Packages that the compiled code requires, at once or late. */
async function importedPackages(): Promise<string[]> {
  const entries = await readdir(join(SECOND, 'dist'), { recursive: true, withFileTypes: true });
  const scripts = entries.filter(({ name }) => name.endsWith('.js') && name !== 'workflow-bundle.js');
  const texts = await Promise.all(
    scripts.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8')),
  );
  const specifiers = texts.flatMap((text) =>
    [...text.matchAll(/\b(?:require|import)\(["']([^."'][^"']*)["']\)/g)].map(
      ([, specifier = '']) => specifier,
    ),
  );
  const names = specifiers
    .filter((one) => !isBuiltin(one))
    .map((one) => /^(@[^/]+\/)?[^/]+/.exec(one)?.[0] ?? one);
  return [...new Set(names)].sort();
}

test('the second package depends on what its code imports, in the versions that its tests use', async () => {
  const [root, second] = await Promise.all([manifestOf(ROOT), manifestOf(SECOND)]);
  expect(root.dependencies).toBeUndefined();
  expect([second.version, second.engines]).toEqual([root.version, root.engines]);
  expect(Object.keys(second.dependencies ?? {}).sort()).toEqual(await importedPackages());
  expect(root.devDependencies).toMatchObject(second.dependencies ?? {});
});

test.each([ROOT, SECOND])(
  'npm refuses to publish %s from a clone, and without a provenance statement',
  async (folder) => {
    const manifest = await manifestOf(folder);
    expect(manifest).toMatchObject({ private: true, publishConfig: { access: 'public', provenance: true } });
  },
);

test("the tree resolves the HTTP client of the second package, whatever n8n's engine brings", async () => {
  const path = createRequire(join(ROOT, 'package.json')).resolve('undici/package.json');
  expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ version: expect.stringMatching(/^8\./) });
});
