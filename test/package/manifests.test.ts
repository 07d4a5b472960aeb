import { readFile, readdir } from 'node:fs/promises';
import { createRequire, isBuiltin } from 'node:module';
import { join } from 'node:path';
import root from '../../package.json';
import second from '../../packages/media-service/package.json';
import { ROOT } from '../support/pack';

/** Packages that the compiled code requires, at once or late. */
async function importedPackages(): Promise<string[]> {
  const dist = join(ROOT, 'packages', 'media-service', 'dist');
  const entries = await readdir(dist, { recursive: true, withFileTypes: true });
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
  expect(root).not.toHaveProperty('dependencies');
  expect([second.version, second.engines]).toEqual([root.version, root.engines]);
  expect(Object.keys(second.dependencies).sort()).toEqual(await importedPackages());
  expect(root.devDependencies).toMatchObject(second.dependencies);
});

test.each([root, second])('npm refuses to publish $name from a clone, and without provenance', (manifest) => {
  expect(manifest).toMatchObject({ private: true, publishConfig: { access: 'public', provenance: true } });
});

test("the tree resolves the HTTP client of the second package, whatever n8n's engine brings", async () => {
  const path = createRequire(join(ROOT, 'package.json')).resolve('undici/package.json');
  expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ version: expect.stringMatching(/^8\./) });
});
