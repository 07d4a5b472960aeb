import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../../api/json';
import { isJsonObject } from '../../../../api/json';
import { labelOf } from '../../../../api/upload/sources/source-label';
import type { ManifestRow } from '../../../../manifest/row';
import { rowDigest } from '../../../../manifest/row-digest';
import type { Place } from '../../../../places/place';
import type { PlaceAccess } from '../../../../places/place-access';
import type { Sealed } from '../../../contract';
import { isSealed, seal, sourceUrlPurpose, unseal } from '../../../seal';
import type { SealKeys } from '../../../seal';
import { rowsFile } from './batch-files';
import { readLines } from './line-files';

/** A row as it lies in the batch's folder. */
export interface PlannedRow {
  /** The source of an http row is its label, its address is `sealed`. */
  readonly row: ManifestRow;
  readonly sealed?: Sealed;
  /** Of what the row means: an address counts without its query, which pre-signed ones have anew each time. */
  readonly digest: string;
}

export function plannedRow(row: ManifestRow, keys: SealKeys): PlannedRow {
  if (!/^https?:\/\//i.test(row.source) || !URL.canParse(row.source)) return { row, digest: rowDigest(row) };
  const label = labelOf(row.source);
  const { origin, pathname } = new URL(row.source);
  return {
    row: { ...row, source: label },
    sealed: seal(keys, row.source, sourceUrlPurpose(label)),
    digest: rowDigest({ ...row, source: origin + pathname }),
  };
}

/** The row as its manifest had it. */
export function openedRow({ row, sealed }: PlannedRow, keys: SealKeys): ManifestRow {
  return sealed === undefined ? row : { ...row, source: unseal(keys, sealed, sourceUrlPurpose(row.source)) };
}

/** Of a page: which rows it holds, in which order. */
export function pageDigest(rows: readonly PlannedRow[]): string {
  const hash = createHash('sha256');
  for (const { digest } of rows) hash.update(digest);
  return hash.digest('hex').slice(0, 32);
}

/** The rows of a page. Rejects as `readPlace`. */
export async function readPlannedRows(
  access: PlaceAccess,
  { folder, page }: { readonly folder: Place; readonly page: number },
  signal?: AbortSignal,
): Promise<PlannedRow[]> {
  const rows: PlannedRow[] = [];
  for await (const json of readLines(access, rowsFile(folder, page), signal)) {
    if (isPlannedRow(json)) rows.push(json);
  }
  return rows;
}

/** Whether the file is there is enough: only plans write it. */
export function isPlannedRow(json: JsonObject): json is JsonObject & PlannedRow {
  const sealed = json['sealed'];
  return (
    typeof json['digest'] === 'string' &&
    isJsonObject(json['row']) &&
    (sealed === undefined || isSealed(sealed))
  );
}
