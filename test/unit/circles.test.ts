import { expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../support/pack';

/** Files of the product, as `api/errors.ts`. */
const FILES = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && !file.startsWith('test/') && existsSync(join(ROOT, file)));

/** The files that a file loads. `import type` disappears at run time. */
function importsOf(file: string): string[] {
  const { statements } = ts.createSourceFile(
    file,
    readFileSync(join(ROOT, file), 'utf8'),
    ts.ScriptTarget.Latest,
  );
  return statements.flatMap((statement) => {
    const isImport =
      ts.isImportDeclaration(statement) &&
      statement.importClause?.phaseModifier !== ts.SyntaxKind.TypeKeyword;
    const isExport = ts.isExportDeclaration(statement) && !statement.isTypeOnly;
    if (!isImport && !isExport) return [];
    const { moduleSpecifier } = statement;
    if (moduleSpecifier === undefined || !ts.isStringLiteral(moduleSpecifier)) return [];
    const target = join(dirname(file), moduleSpecifier.text);
    return [`${target}.ts`, join(target, 'index.ts')].filter((one) => FILES.includes(one));
  });
}

/** The circles of a graph, each as the way around. */
function circlesIn(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, way: readonly string[]): void => {
    if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(' -> '));
    if (done.has(file)) return;
    done.add(file);
    for (const next of imports.get(file) ?? []) visit(next, [...way, file]);
  };
  for (const file of imports.keys()) visit(file, []);
  return circles;
}

test('no file loads itself through its imports', () => {
  const imports = new Map(FILES.map((file) => [file, importsOf(file)]));
  expect([...imports.values()].flat().length).toBeGreaterThan(1_000);
  expect(circlesIn(imports)).toEqual([]);
});

test('a circle of two files is found', () => {
  const imports = new Map([
    ['a', ['b', 'c']],
    ['b', ['a']],
    ['c', []],
  ]);
  expect(circlesIn(imports)).toEqual(['a -> b -> a']);
});
