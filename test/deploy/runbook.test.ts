import { expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { systemClock } from '../../api/system-clock';
import { Interrupts } from '../../cli/interrupts';
import { Terminal } from '../../cli/output/terminal';
import { createProgram } from '../../cli/program';
import { ROOT } from '../support/pack';

const page = readFileSync(join(ROOT, 'docs', 'operations.md'), 'utf8');
/** In a sentence or a block of its own; `…` stands for any command. */
const COMMAND = /(?:`|^ *|\| )media-service ([a-z][^`\n#|<]*)/gm;
const commands = [...new Set([...page.matchAll(COMMAND)].map(([, words = '']) => words.trim()))];

function program(): Command {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const context = {
    terminal: new Terminal({ stdout: nowhere, stderr: nowhere }),
    interrupts: new Interrupts(() => undefined),
    cwd: '/',
    clock: systemClock,
  };
  return createProgram(context, { version: '0', printError: () => undefined });
}

/** The command that these words name, and what is left of them. */
function resolve(words: readonly string[], within = program()): readonly [Command, readonly string[]] {
  const [first, ...rest] = words;
  const next = within.commands.find((command) => command.name() === first);
  return next === undefined ? [within, words] : resolve(rest, next);
}

test('the runbook names commands to copy', () => {
  expect(commands.length).toBeGreaterThan(10);
});

test.each(commands)('docs/operations.md: `media-service %s` is a whole command', (line) => {
  const [command, words] = resolve(line.split(/\s+/));
  expect(command.commands).toEqual([]);
  const { operands, unknown } = command.parseOptions([...words]);
  expect(unknown).toEqual([]);
  const required = command.registeredArguments.filter((argument) => argument.required);
  const takesMore = command.registeredArguments.some((argument) => argument.variadic);
  expect(operands.length).toBeGreaterThanOrEqual(required.length);
  if (!takesMore) expect(operands.length).toBeLessThanOrEqual(command.registeredArguments.length);
});
