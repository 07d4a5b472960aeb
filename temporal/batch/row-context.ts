import { given } from '../../api/json';
import type { RowContext } from '../../manifest/row-request';
import type { BatchOptions } from '../contract/batch';

/** Where the files of a batch's rows are, and how to read them. */
export function rowContextOf({
  sourceFolder,
  sourceHost,
  sourceSecret,
  requesterPays,
}: BatchOptions): RowContext {
  return given({ folder: sourceFolder, host: sourceHost, secret: sourceSecret, requesterPays });
}
