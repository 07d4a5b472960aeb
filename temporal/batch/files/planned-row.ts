import { createHash } from 'node:crypto';
import { given } from '../../../api/json';
import { labelOf } from '../../../api/upload/sources/source';
import type { ManifestRow } from '../../../manifest/row';
import { rowDigest } from '../../../manifest/row';
import type { FileLocation } from '../../../files/file-location';
import type { FileAccess } from '../../../files/output-path';
import { seal, sourceUrlPurpose, unseal } from '../../seal';
import type { SealKeys } from '../../seal';
import { readLines, rowsFile } from './batch-files';
import type { RowContext } from '../../../manifest/row-request';
import type { BatchOptions, SealedRow } from '../types';

/** A row as it is stored in the batch's folder. */
export interface PlannedRow extends SealedRow {
  /** Digest of what the row means. A URL counts without its query, because each pre-signed URL has a new one. */
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

/** The row as it was in its manifest. */
export function openedRow({ row, sealed }: SealedRow, keys: SealKeys): ManifestRow {
  return sealed === undefined ? row : { ...row, source: unseal(keys, sealed, sourceUrlPurpose(row.source)) };
}

/** Digest of a page: which rows it contains, in which order. */
export function pageDigest(rows: readonly PlannedRow[]): string {
  const hash = createHash('sha256');
  for (const { digest } of rows) hash.update(digest);
  return hash.digest('hex').slice(0, 32);
}

/** The rows of a page. Rejects as `readFileAt`. */
export async function readPlannedRows(
  access: FileAccess,
  { folder, page }: { readonly folder: FileLocation; readonly page: number },
  signal?: AbortSignal,
): Promise<PlannedRow[]> {
  const rows: PlannedRow[] = [];
  for await (const row of readLines<PlannedRow>(access, rowsFile(folder, page), { signal })) rows.push(row);
  return rows;
}

/** Where the files of a batch's rows are, and how to read them. */
export function rowContextOf({ sourceFolder, sourceHost, sourceSecret }: BatchOptions): RowContext {
  return given({ folder: sourceFolder, host: sourceHost, secret: sourceSecret });
}
