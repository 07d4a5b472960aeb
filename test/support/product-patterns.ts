import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const ROOT = path.join(__dirname, '../..');
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
  'reports',
  'settings',
  'temporal',
];

export interface FoundPattern {
  /** Path from the project's root, with the line: `api/answers/redact.ts:5`. */
  readonly at: string;
  readonly pattern: RegExp;
}

/** Every regular expression in the product's source. */
export function productPatterns(): FoundPattern[] {
  return ROOMS.flatMap((room) => typescriptFiles(path.join(ROOT, room))).flatMap(patternsIn);
}

function typescriptFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.join(folder, name));
}

function patternsIn(file: string): FoundPattern[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const found: FoundPattern[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      found.push({ at: `${path.relative(ROOT, file)}:${line + 1}`, pattern: patternOf(node.text) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function patternOf(literal: string): RegExp {
  const end = literal.lastIndexOf('/');
  return new RegExp(literal.slice(1, end), literal.slice(end + 1));
}
