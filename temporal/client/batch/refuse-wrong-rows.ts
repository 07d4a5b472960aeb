import type { ServiceOptions } from '../../../api/account/account';
import type { JsonObject } from '../../../api/json';
import { readJsonRow } from '../../../manifest/jsonl/read-json-lines';
import { Mistakes, repeatedId } from '../../../manifest/mistakes';
import { isMistake } from '../../../manifest/row';
import { rowPlaceOf } from '../../activities/batch/row-place';
import type { BatchOptions } from '../../contract/batch';

export interface RowsCheck {
  readonly options: BatchOptions;
  readonly serviceOptions?: ServiceOptions | undefined;
}

/**
 * Throws what the plan would refuse rows for, a `Validation` error that names the first mistakes by line, before anything of them is sent: a wrong
 * row may hold an address where none is expected, and so none is sealed.
 */
export function refuseWrongRows(
  rows: readonly JsonObject[],
  { options, serviceOptions: { ingestTag } = {} }: RowsCheck,
): void {
  const rules = { place: rowPlaceOf(options), ...(ingestTag === undefined ? {} : { ingestTag }) };
  const mistakes = new Mistakes();
  const firstOf = new Map<string, number>();
  for (const [index, row] of rows.entries()) {
    const line = index + 1;
    const asSent: unknown = JSON.parse(JSON.stringify(row));
    for (const item of readJsonRow(line, asSent, rules)) {
      if (isMistake(item)) mistakes.add(item);
      const id = isMistake(item) ? item.readable?.id : item.id;
      if (id === undefined) continue;
      const first = firstOf.get(id);
      if (first === undefined) firstOf.set(id, line);
      else mistakes.add(repeatedId(id, line, first));
    }
  }
  mistakes.refuse();
}
