import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VARIABLES } from '../../../settings/variables';
import type { Variable } from '../../../settings/variables';

const PAGE = readFileSync(join(__dirname, '../../../docs/configuration.md'), 'utf8');
const variables: readonly Variable[] = Object.values(VARIABLES);

describe('docs/configuration.md', () => {
  test('lists every variable once, and which of them can be in a file', () => {
    const listed = [...PAGE.matchAll(/^- `((?:MEDIA_SERVICE|TEMPORAL)_\w+)`( \(or `…_FILE`\))?: /gm)];
    const known = variables.map(({ name, secret }) => [name, secret === true]);
    expect(listed.map(([, name, file]) => [name, file !== undefined]).sort()).toEqual(known.sort());
  });

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

  test.each(
    variables
      .filter(({ secret }) => secret !== true)
      .map(({ name, example, parse }) => [name, example, parse] as const),
  )('%s accepts its own example', (_name, example, parse) => {
    expect(() => parse(example)).not.toThrow();
  });
});
