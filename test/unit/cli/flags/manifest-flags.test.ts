import { expect, test } from '@jest/globals';
import { cliProgram } from '../../../support/cli-flags';

const OWN_OF_CHECK = ['--stat', '--json', '--debug'];

function flagsOf(name: string): ReadonlyMap<string, string> {
  const batch = cliProgram().commands.find((command) => command.name() === 'batch');
  const options = batch?.commands.find((command) => command.name() === name)?.options ?? [];
  return new Map(options.map(({ long, flags, description }) => [long ?? flags, `${flags}: ${description}`]));
}

test('batch start reads a manifest with the same flags as batch check', () => {
  const [check, start] = [flagsOf('check'), flagsOf('start')];
  const shared = [...check].filter(([flag]) => !OWN_OF_CHECK.includes(flag));
  expect(shared.map(([flag]) => flag)).toEqual([
    '--format',
    '--folder',
    '--source-secret',
    '--requester-pays',
  ]);
  for (const [flag, help] of shared) expect(start.get(flag)).toBe(help);
});
