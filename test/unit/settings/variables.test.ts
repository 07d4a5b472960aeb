import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { VariableGroup } from '../../../settings/variables';
import { VARIABLES } from '../../../settings/variables';

/** Without the line breaks inside its paragraphs and list entries. */
const PAGE = readFileSync(join(__dirname, '../../../docs/configuration.md'), 'utf8').replace(
  /\n +(?=\S)/g,
  ' ',
);
const variables = Object.values(VARIABLES);
const MAX_WORDS = 20;

/** The list of one group as docs/configuration.md must show it. */
function listOf(group: VariableGroup): string {
  return variables
    .filter((variable) => variable.group === group)
    .map(({ name, secret, meaning, whenUnset, example }) => {
      const file = secret === true ? ' (or `…_FILE`)' : '';
      const shown =
        example.startsWith('(') || whenUnset === `\`${example}\`` ? '' : ` Example: \`${example}\`.`;
      const unset = whenUnset.startsWith('required') ? `Re${whenUnset.slice(2)}.` : `If unset: ${whenUnset}.`;
      return `- \`${name}\`${file}: ${meaning}${shown} ${unset}\n`;
    })
    .join('');
}

describe('docs/configuration.md', () => {
  test.each<VariableGroup>(['account', 'service', 'sources', 'temporal', 'workers'])(
    'shows the same list of %s variables as the code',
    (group) => {
      expect(PAGE).toContain(`\n\n${listOf(group)}\n`);
    },
  );

  test('names no variable that the code does not know', () => {
    // Temporal's own library reads the last one.
    const known = new Set([...variables.map(({ name }) => name), 'TEMPORAL_NAMESPACE']);
    const named = PAGE.match(/\b(?:MEDIA_SERVICE|TEMPORAL)_[A-Z_]+[A-Z]\b/g) ?? [];
    expect(
      named
        .map((name) => name.replace(/_FILE$/, ''))
        .filter(
          (name) => !name.startsWith('TEMPORAL_TLS_') && !known.has(name) && !known.has(`${name}_FILE`),
        ),
    ).toEqual([]);
  });
});

describe('the table of variables', () => {
  test('has at most 25', () => {
    expect(variables.length).toBeLessThanOrEqual(25);
  });

  test('has each name once', () => {
    const names = variables.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  test.each(variables.map(({ name, meaning, whenUnset }) => [name, meaning, whenUnset] as const))(
    'describes %s in a few words',
    (_name, meaning, whenUnset) => {
      expect(meaning.split(' ').length).toBeLessThanOrEqual(MAX_WORDS);
      expect(whenUnset.split(' ').length).toBeLessThanOrEqual(MAX_WORDS);
    },
  );

  test.each(
    variables
      .filter(({ secret }) => secret !== true)
      .map(({ name, example, parse }) => [name, example, parse] as const),
  )('%s accepts its own example', (_name, example, parse) => {
    expect(() => parse(example)).not.toThrow();
  });
});
