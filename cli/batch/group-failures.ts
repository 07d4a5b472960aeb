import type { AccountLine } from '../../temporal/contract/batch';

/** Failed rows that are mended in one way. */
export interface FailureGroup {
  readonly code: string;
  /** Rows seen with it; of a long account not all are looked at. */
  readonly rows: number;
  /** Of the first row. */
  readonly message: string;
  readonly hint?: string;
  /** The first ones. */
  readonly examples: readonly FailedRow[];
}

/** Where a row stands in the manifest, what it uploads, and what went wrong with it. */
export interface FailedRow {
  readonly line: number;
  readonly id: string;
  readonly source: string;
  readonly message: string;
}

const EXAMPLES = 3;

/** Groups failed lines by error code and by what to do, the most frequent first. Other lines are left out. */
export function groupFailures(lines: readonly AccountLine[]): FailureGroup[] {
  const groups = new Map<string, FailureGroup>();
  for (const { status, error, line, id, source } of lines) {
    if (status !== 'FAILED') continue;
    const { code, message, hint } = error ?? {
      code: 'Internal',
      message: 'No error is known.',
      hint: undefined,
    };
    const key = JSON.stringify([code, hint]);
    const { rows, examples, ...first } = groups.get(key) ?? {
      code,
      rows: 0,
      message,
      ...(hint === undefined ? {} : { hint }),
      examples: [],
    };
    const more = examples.length < EXAMPLES ? [...examples, { line, id, source, message }] : examples;
    groups.set(key, { ...first, rows: rows + 1, examples: more });
  }
  return [...groups.values()].sort((a, b) => b.rows - a.rows);
}
