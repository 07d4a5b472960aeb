import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { ROOT } from './pack';

/**
 * Everything that is shipped and handles text from outside. The simulator replaces the service, and handles only its
 * own text.
 */
const ROOMS = [
  'api',
  'cli',
  'client',
  'credentials',
  'manifest',
  'n8n',
  'nodes',
  'files',
  'gateway',
  'reports',
  'settings',
  'temporal',
];

interface Found {
  /** Path from the project's root, with the line: `api/errors.ts:12`. */
  readonly at: string;
}

/** Every regular expression in the product's source. */
export function productPatterns(): (Found & { readonly pattern: RegExp })[] {
  return ROOMS.flatMap((room) =>
    foundIn(room, (node) =>
      ts.isRegularExpressionLiteral(node) ? { pattern: patternOf(node.text) } : undefined,
    ),
  );
}

function patternOf(literal: string): RegExp {
  const end = literal.lastIndexOf('/');
  return new RegExp(literal.slice(1, end), literal.slice(end + 1));
}

/** Every string and template in a folder's sources, without those of imports. Templates have `${…}` for values. */
export function textsOfRoom(room: string): (Found & { readonly text: string })[] {
  return foundIn(room, (node) => {
    if (ts.isStringLiteralLike(node)) return { text: node.text };
    if (!ts.isTemplateExpression(node)) return undefined;
    const spans = node.templateSpans.map(({ literal }) => `\${…}${literal.text}`);
    return { text: node.head.text + spans.join('') };
  });
}

/** What `pick` makes of the nodes of a folder's sources, without those of imports. */
function foundIn<T extends object>(room: string, pick: (node: ts.Node) => T | undefined): (Found & T)[] {
  return globSync(`${room}/**/*.ts`, { cwd: ROOT }).flatMap((file) => {
    const text = readFileSync(path.join(ROOT, file), 'utf8');
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    const found: (Found & T)[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
      const picked = pick(node);
      if (picked !== undefined) found.push({ at: `${file}:${lineOf(source, node)}`, ...picked });
      ts.forEachChild(node, visit);
    };
    visit(source);
    return found;
  });
}

function lineOf(source: ts.SourceFile, node: ts.Node): number {
  return source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
}
