import { ValidationError } from '../../../api/errors';
import { mediaText } from '../../../api/media/media-filter';
import { searchMedia } from '../../../api/media/media-search';
import { itemOf, mediaJson } from '../output';
import type { Operation } from '../operation';
import { field } from '../../../n8n/form-fields';
import { requiredText, SIMPLIFY, simplifyOf } from '../parameters';

const MEDIA_ID = field('mediaId', {
  required: true,
  placeholder: 'e.g. 9f2c41d0',
  description: 'ID of the media item, as a search or an upload returns it',
});

/** Media > Get: a search for one ID. api.md, "POST {base_url}/api/media/search". */
export const get: Operation = {
  option: {
    name: 'Get',
    value: 'get',
    description: 'Get one media item by its ID',
    action: 'Get a media item',
  },
  parameters: [MEDIA_ID, SIMPLIFY],

  async execute({ context, signal, service }, itemIndex) {
    const id = requiredText(context, { name: 'mediaId' }, itemIndex);
    const simplify = simplifyOf(context, itemIndex);
    const { items } = await searchMedia(await service(itemIndex), { ids: [id] }, { size: 1, signal });
    // An item without a readable ID is trusted to be the one that was asked for.
    const media = items.find((one) => [id, undefined].includes(mediaText(one, 'id')));
    if (media !== undefined) return [itemOf(mediaJson(media, simplify), itemIndex)];
    throw new ValidationError(
      'mediaId',
      `No media item has this ID: ${id.slice(0, 80)}`,
      "Use the media ID of an upload's output, not its upload ID, or find the item by Media > Search.",
    );
  },
};
