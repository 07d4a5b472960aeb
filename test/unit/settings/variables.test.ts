import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { VariableGroup } from '../../../settings/variable';
import { VARIABLES } from '../../../settings/variables';

/** Without the padding of its tables. */
const PAGE = readFileSync(join(__dirname, '../../../docs/configuration.md'), 'utf8').replace(/ +\|/g, ' |');
const variables = Object.values(VARIABLES);

/** The rows of one group as docs/configuration.md must show them. */
function rowsOf(group: VariableGroup): string {
  return variables
    .filter((variable) => variable.group === group)
    .map(({ name, secret, meaning, whenUnset, example }) => {
      const shown = example.startsWith('(') ? '' : ` E.g. \`${example}\`.`;
      return `| \`${name}\`${secret === true ? '<br>or `…_FILE`' : ''} | ${meaning}${shown} | ${whenUnset} |`;
    })
    .join('\n');
}

describe('docs/configuration.md', () => {
  test.each<VariableGroup>(['account', 'service', 'sources', 'temporal', 'workers'])(
    'shows the same table of %s variables as the code',
    (group) => {
      expect(PAGE).toContain(rowsOf(group));
    },
  );

  test('names no variable that the code does not know', () => {
    const known = new Set(variables.map(({ name }) => name));
    const named = PAGE.match(/\b(?:MEDIA_SERVICE|TEMPORAL)_[A-Z_]+[A-Z]\b/g) ?? [];
    expect(
      named
        .map((name) => name.replace(/_FILE$/, ''))
        .filter((name) => !known.has(name) && !known.has(`${name}_FILE`)),
    ).toEqual([]);
  });
});

describe('the table of variables', () => {
  test('has each name once', () => {
    const names = variables.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  test.each(
    variables
      .filter(({ secret }) => secret !== true)
      .map(({ name, example, parse }) => [name, example, parse] as const),
  )('%s accepts its own example', (_name, example, parse) => {
    expect(() => parse(example)).not.toThrow();
  });
});
