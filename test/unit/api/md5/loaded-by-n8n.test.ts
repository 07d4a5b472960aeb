import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, jest } from '@jest/globals';
import type * as engine from '../../../../api/md5/md5-engine';
import type * as scalar from '../../../../api/md5/scalar-kernel';
import type * as vector from '../../../../api/md5/vector-kernel';
import manifest from '../../../../package.json';
import { ROOT } from '../../../support/pack';

let generated = 0;
jest.mock('../../../../api/md5/scalar-kernel', () => {
  const actual = jest.requireActual<typeof scalar>('../../../../api/md5/scalar-kernel');
  return { scalarKernel: counted(actual.scalarKernel) };
});
jest.mock('../../../../api/md5/vector-kernel', () => {
  const actual = jest.requireActual<typeof vector>('../../../../api/md5/vector-kernel');
  return { vectorKernel: counted(actual.vectorKernel) };
});

function counted<Kernel>(generate: (size: number) => Kernel): (size: number) => Kernel {
  return (size) => {
    generated += 1;
    return generate(size);
  };
}

/** The sources of what n8n loads. */
const ENTRIES = [...manifest.n8n.nodes, ...manifest.n8n.credentials].map((path) =>
  path.replace(/^dist\//, '').replace(/\.js$/, ''),
);

describe('the MD5 of parts in n8n', () => {
  it('generates its kernels at the first use, not when n8n loads the nodes', async () => {
    for (const entry of ENTRIES) await import(join(ROOT, entry));
    const { md5Engine } = (await import(join(ROOT, 'api/md5/md5-engine'))) as typeof engine;
    expect(generated).toBe(0);
    await md5Engine.report();
    expect(generated).toBe(5);
  });

  it('adds at most 12 kB to what n8n loads', () => {
    const settings = pathToFileURL(join(ROOT, 'tools', 'bundle-nodes.mjs')).href;
    // The bundle is shortened once more, so this is an upper bound.
    const code = `
      import { build } from 'esbuild';
      import { BUNDLE_SETTINGS } from ${JSON.stringify(settings)};
      const contents = ${JSON.stringify(ENTRIES)}.map((path) => 'export * from "./' + path + '";').join('');
      const { metafile } = await build({
        ...BUNDLE_SETTINGS,
        stdin: { contents, resolveDir: ${JSON.stringify(ROOT)}, loader: 'ts' },
        packages: 'external',
        write: false,
      });
      const [{ inputs }] = Object.values(metafile.outputs);
      process.stdout.write(JSON.stringify(
        Object.entries(inputs).map(([path, { bytesInOutput }]) => [path, bytesInOutput]),
      ));`;
    const inputs = JSON.parse(
      execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: ROOT, encoding: 'utf8' }),
    ) as [path: string, bytes: number][];
    const ofMd5 = inputs.filter(([path]) => path.startsWith('api/md5/'));
    expect(ofMd5.map(([path]) => path)).toContain('api/md5/vector-kernel.ts');
    const bytes = ofMd5.reduce((sum, [, one]) => sum + one, 0);
    expect(bytes).toBeLessThan(12_000);
  });
});
