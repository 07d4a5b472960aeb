import { MediaServiceError } from '../../../api/errors';
import { textAt } from '../../../api/json';
import type { JsonObject } from '../../../api/json';

const CANDIDATES = ['id', 'mediaId', 'uuid', '_id'];

/** The reader for the id of media. Throws if there is no such field, because changed media would then count as new. */
export function mediaIdReader(field: string | undefined): (media: JsonObject) => string {
  const paths = field === undefined ? CANDIDATES : [field];
  return (media) => {
    const id = textAt(media, paths);
    if (id !== undefined) return id;
    throw new MediaServiceError('UnreadableAnswer', `The media have no ID under ${paths.join(', ')}`, {
      hint: `Name the field in the option "ID Field". The fields are: ${Object.keys(media).join(', ').slice(0, 300)}.`,
    });
  };
}
