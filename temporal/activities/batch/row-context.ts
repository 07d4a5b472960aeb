import type { RowContext } from '../../../manifest/row-request';
import type { BatchOptions } from '../../contract/batch';

/** Where the files of a batch's rows are, and how to read them. */
export function rowContextOf({
  sourceFolder,
  sourceHost,
  sourceSecret,
  requesterPays,
}: BatchOptions): RowContext {
  return {
    ...(sourceFolder === undefined ? {} : { folder: sourceFolder }),
    ...(sourceHost === undefined ? {} : { host: sourceHost }),
    ...(sourceSecret === undefined ? {} : { secret: sourceSecret }),
    ...(requesterPays === undefined ? {} : { requesterPays }),
  };
}
