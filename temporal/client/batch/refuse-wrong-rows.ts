import type { JsonObject } from '../../../api/json';
import { readJsonRow } from '../../../manifest/jsonl/read-json-lines';
import { Mistakes, repeatedId } from '../../../manifest/mistakes';
import { isMistake, readableCells } from '../../../manifest/row';
import { rowContextOf } from '../../batch/row-context';
import type { StartBatch } from './start-batch';

/**
 * Throws the error with which the plan would refuse rows, before any of them is sent. It is a `Validation` error that
 * names the first mistakes by line. A wrong row may contain a URL in an unexpected cell, and that URL would not be
 * sealed.
 */
export function refuseWrongRows(
  rows: readonly JsonObject[],
  { options = {}, serviceOptions: { ingestTag } = {} }: Pick<StartBatch, 'options' | 'serviceOptions'>,
): void {
  const rules = { rowContext: rowContextOf(options), ...(ingestTag === undefined ? {} : { ingestTag }) };
  const mistakes = new Mistakes();
  const firstOf = new Map<string, number>();
  for (const [index, row] of rows.entries()) {
    const line = index + 1;
    const asSent: unknown = JSON.parse(JSON.stringify(row));
    for (const item of readJsonRow(line, asSent, rules)) {
      if (isMistake(item)) mistakes.add(item);
      const { id } = readableCells(item);
      if (id === undefined) continue;
      const first = firstOf.get(id);
      if (first === undefined) firstOf.set(id, line);
      else mistakes.add(repeatedId(id, line, first));
    }
  }
  mistakes.refuse();
}
