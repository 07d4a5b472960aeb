import { expect, test } from '@jest/globals';
import { isPlainTerminal } from '../../../settings/plain-terminal';

test.each<[label: string, env: Record<string, string>, plain: boolean]>([
  ['a terminal that says what it is', { TERM: 'xterm-256color' }, false],
  ['a terminal that can only print', { TERM: 'dumb' }, true],
  ['a user who wants no colours', { TERM: 'xterm', NO_COLOR: '1' }, true],
  ['an empty NO_COLOR, which means nothing', { NO_COLOR: '' }, false],
])('the choice of plain lines for %s', (_label, env, plain) => {
  expect(isPlainTerminal(env)).toBe(plain);
});
