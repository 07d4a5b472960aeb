import type { RowPlace } from '../../../manifest/row-request';
import type { BatchOptions } from '../../contract/batch';

/** Where the files of a batch's rows are. */
export function rowPlaceOf({
  sourceFolder,
  sourceHost,
  sourceSecret,
  requesterPays,
}: BatchOptions): RowPlace {
  return {
    ...(sourceFolder === undefined ? {} : { folder: sourceFolder }),
    ...(sourceHost === undefined ? {} : { host: sourceHost }),
    ...(sourceSecret === undefined ? {} : { secret: sourceSecret }),
    ...(requesterPays === undefined ? {} : { requesterPays }),
  };
}
