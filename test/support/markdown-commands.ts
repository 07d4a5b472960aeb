import { blocksOf, linesOutsideBlocks } from './page-blocks';
import type { PageLine } from './page-blocks';

/** A command on a page of the docs, in a block to copy or in a sentence. */
export interface ShownCommand {
  readonly page: string;
  readonly line: number;
  /** Without comments, redirections and pipes. */
  readonly words: readonly string[];
}

const IN_SENTENCE = /`([^`]+)`/g;

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

/** Lines of shell blocks, with continued lines joined, and code in sentences. */
function snippetsOf(page: string): readonly PageLine[] {
  const inBlocks = blocksOf(page).filter(({ language }) => language === 'sh');
  return [
    ...inBlocks.flatMap(({ line, text }) =>
      text.split(/(?<!\\)\n/).map((command) => ({ line, text: command.replaceAll('\\\n', ' ') })),
    ),
    ...linesOutsideBlocks(page).flatMap(({ line, text }) =>
      [...text.matchAll(IN_SENTENCE)].map(([, code = '']) => ({ line, text: code })),
    ),
  ];
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
