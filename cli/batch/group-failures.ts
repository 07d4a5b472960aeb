import { shownError } from '../errors/what-to-do';
import type { ResultLine } from '../../temporal/batch/types';

/** Failed rows with the same fix. */
export interface FailureGroup {
  readonly code: string;
  /** Rows with this error among those read. Long results are not read completely. */
  readonly rows: number;
  /** The first row's message. */
  readonly message: string;
  readonly hint?: string;
  /** The first ones. */
  readonly examples: readonly FailedRow[];
}

/** A failed row: its line in the manifest, its source, and its error. */
export interface FailedRow {
  readonly line: number;
  readonly id: string;
  readonly source: string;
  readonly message: string;
}

const EXAMPLES = 3;

/** Groups failed lines by error code and advice, the most frequent group first. It ignores other lines. */
export function groupFailures(lines: readonly ResultLine[]): FailureGroup[] {
  const groups = new Map<string, FailureGroup>();
  for (const { status, error, line, id, source } of lines) {
    if (status !== 'FAILED') continue;
    const { code, message, hint } = shownError(
      error ?? { code: 'Internal', message: 'The results name no error for this row.' },
    );
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
