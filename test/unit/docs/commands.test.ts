import type { Command } from 'commander';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { scripts } from '../../../package.json';
import { cliProgram } from '../../support/cli-flags';
import { type ShownCommand, shownCommands } from '../../support/markdown-commands';
import { ROOT } from '../../support/pack';
import { pages } from '../../support/page-blocks';
import { commandNames } from '../cli/command-names';

/** Every test of the project. The path in a command is the beginning of some of them. */
const TESTS = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' }).map((path) =>
  join('test', path),
);
const isTested = (path: string): boolean => TESTS.some((test) => test.startsWith(path));

/** Placeholder for any command or argument. */
const ANY = '…';

/** The command that these words name, and the remaining words. */
function resolve(words: readonly string[], within = cliProgram()): readonly [Command, readonly string[]] {
  const [first, ...rest] = words;
  const next = within.commands.find((command) => command.name() === first);
  return next === undefined ? [within, words] : resolve(rest, next);
}

function labelled(commands: readonly ShownCommand[]): readonly (readonly [string, ShownCommand])[] {
  return commands.map((command) => [`${command.page}:${command.line}: ${command.words.join(' ')}`, command]);
}

const commands = pages().flatMap((page) => shownCommands(page, 'media-service'));

describe('a media-service command on a page of the docs', () => {
  test('occurs in the README and in every guide of the command line', () => {
    const shown = new Set(commands.map(({ page }) => page));
    expect([...shown]).toEqual(
      expect.arrayContaining(['README.md', 'docs/batch.md', 'docs/cli.md', 'docs/operations/runbook.md']),
    );
    expect(commands.length).toBeGreaterThan(50);
  });

  test.each(
    labelled(
      commands.filter(({ words }) => words.length > 0 && !words.includes(ANY) && words[0] !== '--version'),
    ),
  )('exists in the program, with its flags: %s', (_label, { words }) => {
    const [command, rest] = resolve(words);
    const { operands, unknown } = command.parseOptions([...rest]);
    const known = ['-h', '--help', '--version', ...command.options.flatMap(({ long }) => long ?? [])];
    expect(unknown.filter((word) => word.startsWith('-') && !known.includes(word))).toEqual([]);
    if (command.commands.length > 0) expect(operands).toEqual([]);
  });

  test.each(labelled(commands.filter(({ page, words }) => page.includes('runbook') && !words.includes(ANY))))(
    'is complete in the runbook: %s',
    (_label, { words }) => {
      const [command, rest] = resolve(words);
      expect(command.commands).toEqual([]);
      const { operands } = command.parseOptions([...rest]);
      const required = command.registeredArguments.filter((argument) => argument.required);
      const takesMore = command.registeredArguments.some((argument) => argument.variadic);
      expect(operands.length).toBeGreaterThanOrEqual(required.length);
      if (!takesMore) expect(operands.length).toBeLessThanOrEqual(command.registeredArguments.length);
    },
  );
});

test.each(commandNames())('the page on the command line lists %s', (name) => {
  const [group = '', last] = name.split(' ');
  const entries = readFileSync(join(ROOT, 'docs', 'cli.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith(`- \`${group}`));
  const shown = entries.flatMap((line) =>
    [...(line.split('`:')[0] ?? '').matchAll(/[a-z-]+/g)].map(([word]) => word),
  );
  expect(shown).toContain(last ?? group);
});

describe('an npm command on a page of the docs', () => {
  const runs = pages()
    .flatMap((page) => shownCommands(page, 'npm'))
    .filter(({ words: [verb] }) => verb === 'run' || verb === 'test');

  test.each(labelled(runs))('is a script of package.json, with tests that exist: %s', (_label, { words }) => {
    const [verb = '', ...rest] = words;
    const name = verb === 'run' ? (rest[0] ?? '') : verb;
    expect(Object.keys(scripts)).toContain(name);
    const tests = rest.filter((word) => word.startsWith('test/'));
    expect(tests.filter((path) => !isTested(path))).toEqual([]);
  });
});

test('every test exists that the README names for what an upload survives', () => {
  const [, rest = ''] = readFileSync(join(ROOT, 'README.md'), 'utf8').split('## What an upload survives');
  const [chapter = ''] = rest.split('\n## ');
  const names = [...chapter.matchAll(/\((`[^()]+`)\)\.$/gm)].flatMap(([, tests = '']) =>
    [...tests.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  );
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !isTested(`test/integration/${name}.test.ts`))).toEqual([]);
});
