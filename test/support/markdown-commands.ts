import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './pack';

/** A command on a page of the docs, in a block to copy or in a sentence. */
export interface ShownCommand {
  readonly page: string;
  readonly line: number;
  /** Without comments, redirections and pipes. */
  readonly words: readonly string[];
}

const BLOCK = /^\s*```(\w*)$/;
const IN_SENTENCE = /`([^`]+)`/g;
const SHELL = new Set(['sh', 'bash']);

/** Every Markdown file of the project except the changelog. */
export function pages(): readonly string[] {
  const names = readdirSync(ROOT).filter(
    (name) => !/^(\.|dist$|node_modules$|packages$|CHANGELOG)/.test(name),
  );
  // The second package's build copies docs there.
  return [...names, 'packages/media-service/README.md']
    .flatMap((name) =>
      statSync(join(ROOT, name)).isDirectory()
        ? readdirSync(join(ROOT, name), { recursive: true, encoding: 'utf8' }).map((file) => join(name, file))
        : [name],
    )
    .filter((file) => file.endsWith('.md'));
}

/** The commands of a page that begin with this word, such as `media-service` or `npm`. */
export function shownCommands(page: string, program: string): readonly ShownCommand[] {
  return snippetsOf(page).flatMap(({ line, text }) =>
    text
      .split(/&&|\||;|\$\(/)
      .map(wordsOf)
      .map((words) => words.slice(startOf(words)))
      .filter(([first]) => first === program)
      .map((words) => ({ page, line, words: words.slice(1) })),
  );
}

interface Snippet {
  readonly line: number;
  readonly text: string;
}

/** Lines of shell blocks and indented blocks, with continued lines joined, and code in sentences. */
function snippetsOf(page: string): readonly Snippet[] {
  const lines = readFileSync(join(ROOT, page), 'utf8').split('\n');
  const snippets: Snippet[] = [];
  let block: string | undefined;
  let begun = '';
  for (const [index, text] of lines.entries()) {
    const mark = BLOCK.exec(text);
    if (mark !== null) block = block === undefined ? (mark[1] ?? '') : undefined;
    else if ((block !== undefined && SHELL.has(block)) || (block === undefined && text.startsWith('    '))) {
      begun += text.replace(/\\$/, ' ');
      if (text.endsWith('\\')) continue;
      snippets.push({ line: index + 1, text: begun });
      begun = '';
    } else if (block === undefined) {
      for (const [, code = ''] of text.matchAll(IN_SENTENCE)) snippets.push({ line: index + 1, text: code });
    }
  }
  return snippets;
}

/** The position of the program's name: after variables, and after sudo with its flags. */
function startOf(words: readonly string[]): number {
  const isBefore = words[0] === 'sudo' ? /^(sudo|-.*)$/ : /^\w+=/;
  return Math.max(
    words.findIndex((word) => !isBefore.test(word)),
    0,
  );
}

/** The words of one command as a shell splits them, up to a comment or a redirection. */
function wordsOf(command: string): readonly string[] {
  const [shown = ''] = command.split(/(?:^|\s)(?:#|[0-9]*[<>])/);
  return [...shown.matchAll(/'[^']*'|"[^"]*"|[^\s'"]+/g)].map(([word]) =>
    word.replace(/^(['"])(.*)\1$/, '$2'),
  );
}
