import stringWidth from 'string-width';
import { cliFlags, cliProgram } from '../../support/cli-flags';
import { FAULTS } from '../../../simulator/faults/faults';
import { SHAPE_GROUPS } from '../../../simulator/shapes/shapes';
import { packageVersion } from '../../../temporal/worker/package-version';
import { runCommand } from '../../support/command';
import type { CommandEnd } from '../../support/command';
import { commandNames } from './command-names';

/** Commands that use a service have tests of their own. */
function run(...words: string[]): Promise<CommandEnd> {
  return runCommand(words, { cwd: '/', columns: 1_000 });
}

const COMMANDS = commandNames();

test('there are at most 33 commands and 70 different flags', () => {
  expect(COMMANDS.length).toBeLessThanOrEqual(33);
  expect(cliFlags().size).toBeLessThanOrEqual(70);
});

test('the description of a group names its commands', () => {
  const groups = cliProgram().commands.filter(({ commands }) => commands.length > 0);
  const names = 'uploads batches deliveries schedules tokens';
  expect(groups.map((group) => group.name()).join(' ')).toBe(names);
  for (const group of groups) {
    const [, named] = group.description().split(/: |\.$/);
    expect(named).toBe(group.commands.map((command) => command.name()).join(', '));
  }
});

describe('help', () => {
  test.each([80, 100, 200])(
    'fits %i columns, except for commands to copy and single words',
    async (columns) => {
      for (const line of ['--help', 'uploads --help', ...COMMANDS.map((name) => `${name} --help`)]) {
        const { stdout } = await runCommand(line.split(' '), { cwd: '/', columns });
        const wide = stdout
          .split('\n')
          .filter(
            (line) => stringWidth(line) > columns && !/^ {2}[$#] /.test(line) && line.trim().includes(' '),
          );
        expect(wide).toEqual([]);
      }
    },
  );

  test.each(COMMANDS)('of %s is one paragraph and two examples', async (name) => {
    const { exit, stdout, stderr } = await run(...name.split(' '), '--help');
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    const [, about = ''] = /\n\n([^\n]+)\n\nExamples:\n/.exec(stdout) ?? [];
    expect(about.length).toBeGreaterThan(50);
    expect(about.length).toBeLessThan(400);
    expect(stdout).toContain('--json');
    expect(stdout.match(/^ {2}\$ /gm)).toHaveLength(2);
  });

  test('of the simulator fits on two screens', async () => {
    expect((await run('simulator', '--help')).stdout.split('\n').length).toBeLessThan(60);
  });

  test.each(['uploads show', 'uploads', 'search'])('of %s is also printed by `help`', async (name) => {
    const asked = await run(...name.split(' '), '--help');
    expect(await run('help', ...name.split(' '))).toEqual(asked);
  });

  test('is printed for a line without a command, which exits with an error', async () => {
    const { exit, stdout, stderr } = await run();
    expect(exit).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain('Usage: media-service');
  });
});

test('deliveries list refuses --json with CSV', async () => {
  const words = 'deliveries list --from -1d --format csv --json'.split(' ');
  const { exit, stdout, stderr } = await run(...words);
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
  expect(JSON.parse(stderr)).toMatchObject({
    error: { field: '--json', message: expect.stringContaining('--format csv') },
  });
});

test('simulator --list prints every fault and every shape, and as JSON the default of each group first', async () => {
  const { exit, stdout, stderr } = await run('simulator', '--list');
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  const faults = [...FAULTS.keys()];
  const names = [...faults, ...SHAPE_GROUPS.flat().map(({ name }) => name)];
  expect(names.filter((name) => !stdout.includes(`  ${name} `))).toEqual([]);
  const json: unknown = JSON.parse((await run('simulator', '--list', '--json')).stdout);
  expect(SHAPE_GROUPS[0]?.[0]?.name).toBe('search-content');
  expect(json).toMatchObject({ faults: faults.map((name) => ({ name })), shapes: SHAPE_GROUPS });
});

test('--version prints the version', async () => {
  expect(await run('--version')).toEqual({ exit: 0, stdout: `${packageVersion()}\n`, stderr: '' });
});

describe('a wrong line exits with 2 and says what would be right:', () => {
  const help = (name: string): string => `\`media-service ${name}--help\``;
  const options = (name: string): string => `${help(name)} for its options`;
  test.each<[line: string, field: string, message: string, hint: string]>([
    ['srch', 'command', "unknown command 'srch' (Did you mean search?)", `${help('')} for its commands`],
    ['uploads pasue', 'command', "unknown command 'pasue' (Did you mean pause?)", help('uploads ')],
    ['upload a --titel x', '--titel', "unknown option '--titel' (Did you mean --title?)", options('upload ')],
    ['upload -clip.mp4', '-clip.mp4', "unknown option '-clip.mp4'", 'write ./-clip.mp4'],
    ['search --limit 0', '--limit', 'must be a whole number', help('search ')],
    [
      'search --limit 1 --all',
      '--all',
      "option '--all' cannot be used with option '--limit <n>'",
      help('search '),
    ],
    [
      'deliveries list --from -1d --format csv --limit 5',
      '--format',
      "option '--format <format>' cannot be used with option '--limit <n>'",
      help('deliveries list '),
    ],
    ['deliveries list', '--from', "required option '--from <when>' not specified", help('deliveries list ')],
    ['upload a.mp4 --watch', '--watch', "unknown option '--watch' (Did you mean --wait?)", help('upload ')],
    ['batches watch x', 'command', "unknown command 'watch' (Did you mean wait?)", help('batches ')],
    ['batches retry-failed x', 'command', '(Did you mean retry?)', help('batches ')],
    ['batch list', 'command', "unknown command 'batch' (Did you mean batches?)", help('')],
    ['webhooks list', 'command', '(Did you mean deliveries?)', help('')],
    ['upload', 'file', "missing required argument 'file'", help('upload ')],
    ['simulator --fault put-999', 'simulator', 'no fault named "put-999"', 'simulator --list'],
    ['simulator --shape round', 'simulator', 'no shape named "round"', 'simulator --list'],
    ['login now', 'arguments', 'too many arguments', help('login ')],
    ['uploads cancel', 'workflow-id', 'No upload was given.', 'Give upload ids or --all.'],
    ['uploads pause a --all', 'workflow-id', "Ids and --all can't be combined.", 'Give upload ids or --all.'],
    ['uploads show upload/a --session', 'workflow-id', 'upload/a is the id of an', 'show upload/a --json'],
    [
      'deliveries list --from -1d --limit 3 --output a.csv',
      '--limit',
      '--output writes all deliveries of the period, so it takes no --limit.',
      'Omit --limit',
    ],
  ])('%s', async (line, field, message, hint) => {
    const words = line.split(' ');
    const people = await run(...words);
    expect(people).toMatchObject({ exit: 2, stdout: '' });
    expect(people.stderr).toContain(message);
    expect(people.stderr).toContain(hint);
    const program = await run(...words, '--json');
    expect(program).toMatchObject({ exit: 2, stdout: '' });
    expect(JSON.parse(program.stderr)).toMatchObject({
      error: { code: 'Validation', field, message: expect.stringContaining(message), exitCode: 2 },
    });
  });
});

test.each<[field: string, words: string[]]>([
  ['workflow-id', ['uploads', 'wait', 'upload/a', ' ']],
  ['workflow-id', ['uploads', 'show', '--session', '']],
  ['id', ['schedules', 'run', '']],
  ['--sub-account', ['schedules', 'create', '--sub-account', '']],
  ['what', ['batches', 'plan', '', '--output', 'clips.csv']],
  ['manifest', ['batches', 'start', '']],
  ['--title', ['upload', 'a.mp4', '--title', '']],
])('an empty value is refused %s of `%j`', async (field, words) => {
  const { exit, stdout, stderr } = await run(...words, '--json');
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
  expect(JSON.parse(stderr)).toMatchObject({
    error: { code: 'Validation', field, message: `${field} is empty.`, exitCode: 2 },
  });
});

test('a flag without its value is named by its long form', async () => {
  const { stderr } = await run('deliveries', 'list', '--json', '--from', 'now', '-o');
  expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'Validation', field: '--output' } });
});
