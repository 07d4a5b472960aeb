import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const PROJECT = path.resolve(__dirname, '../..');

export interface ProductText {
  /** `api/errors.ts:12`. */
  readonly at: string;
  /** A template has `${…}` in place of values. */
  readonly text: string;
}

/** Every string and template in a folder's sources, without those of imports. */
export function textsOfRoom(room: string): ProductText[] {
  return sourcesOf(path.join(PROJECT, room)).flatMap(textsOfFile);
}

function sourcesOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => path.join(entry.parentPath, entry.name));
}

function textsOfFile(file: string): ProductText[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const texts: ProductText[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
      const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
      texts.push({ at: `${path.relative(PROJECT, file)}:${line}`, text: textOf(node) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return texts;
}

function textOf(node: ts.StringLiteralLike | ts.TemplateExpression): string {
  if (ts.isStringLiteralLike(node)) return node.text;
  return node.head.text + node.templateSpans.map(({ literal }) => `\${…}${literal.text}`).join('');
}
