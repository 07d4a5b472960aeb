import type { AccountLine } from '../../temporal/contract/batch';

/** Failed rows that one error explains. */
export interface FailureGroup {
  readonly code: string;
  /** Rows seen with it; of a long account not all are looked at. */
  readonly rows: number;
  readonly message: string;
  readonly hint?: string;
  /** The first ones: where they stand in the manifest, and what they upload. */
  readonly examples: readonly { readonly line: number; readonly id: string; readonly source: string }[];
}

const EXAMPLES = 3;

/** Groups failed lines by error code, the most frequent first; message and hint are those of the first row. Other lines are left out. */
export function failuresByCode(lines: readonly AccountLine[]): FailureGroup[] {
  const groups = new Map<string, FailureGroup>();
  for (const { status, error, line, id, source } of lines) {
    if (status !== 'FAILED') continue;
    const { code, message, hint } = error ?? {
      code: 'Internal',
      message: 'No error is known.',
      hint: undefined,
    };
    const { rows, examples, ...first } = groups.get(code) ?? {
      code,
      rows: 0,
      message,
      ...(hint === undefined ? {} : { hint }),
      examples: [],
    };
    const more = examples.length < EXAMPLES ? [...examples, { line, id, source }] : examples;
    groups.set(code, { ...first, rows: rows + 1, examples: more });
  }
  return [...groups.values()].sort((a, b) => b.rows - a.rows);
}
