import { collectionOf, field } from '../../../n8n/form-fields';
import { ValidationError } from '../../../api/errors';
import type { MediaFilter } from '../../../api/media/media-filter';
import { eachMedia } from '../../../api/media/media-search';
import { SEARCH_OPTIONS } from '../../../api/options/search-options';
import { readAgainIfFewer } from '../../../api/pages/each-page';
import { optionFields, optionValues } from '../option-fields';
import { itemOf, mediaJson } from '../output';
import type { Operation } from '../operation';
import { fieldsOf, LIMIT, limitOf, RETURN_ALL, SIMPLIFY, simplifyOf, textField } from '../parameters';
import type { Fields } from '../parameters';

export const SEARCH_TERM = field('searchTerm', {
  placeholder: 'e.g. kitchen after',
  description: 'Words of the title, matched flexibly. Empty: all media.',
});

const FILTER_NAMES = ['ids', 'type', 'tags', 'isLibrary', 'isActive'] as const;

/** The rest of the media search filter. api.md, "Media search filter". */
export const FILTERS = collectionOf(
  'Filter',
  optionFields(SEARCH_OPTIONS, FILTER_NAMES).map((one) =>
    one.type === 'boolean' ? { ...one, default: true } : one,
  ),
);

export const SORT = field('sort', {
  placeholder: 'e.g. createdAt,DESC',
  description:
    'Property, then ASC or DESC, then ignorecase, with commas between them; several rules with semicolons. Empty: the service chooses the order.',
});

/** Media > Search. api.md, "POST {base_url}/api/media/search". */
export const search: Operation = {
  option: {
    name: 'Search',
    value: 'search',
    description: 'Find media by title, type, tags and more',
    action: 'Search media',
  },
  parameters: [SEARCH_TERM, RETURN_ALL, LIMIT, FILTERS, SORT, SIMPLIFY],

  async execute({ context, signal, service }, itemIndex) {
    const filter = filterOf({
      ...fieldsOf(context, 'filters', itemIndex),
      searchTerm: context.getNodeParameter('searchTerm', itemIndex),
    });
    const sort = textField(context.getNodeParameter('sort', itemIndex, ''), 'sort')?.split(';') ?? [];
    const request = { signal, sort, ...limitOf(context, itemIndex) };
    const simplify = simplifyOf(context, itemIndex);
    // Last, because reading the credential costs more than everything above.
    const account = await service(itemIndex);
    return readAgainIfFewer(async () => {
      const items = [];
      for await (const media of eachMedia(account, filter, request))
        items.push(itemOf(mediaJson(media, simplify), itemIndex));
      return items;
    });
  },
};

/** The media search filter from these fields. */
export function filterOf(filters: Fields): MediaFilter {
  const filter = optionValues(filters, SEARCH_OPTIONS, ['searchTerm', ...FILTER_NAMES]);
  refuseNoIds(filters, filter.ids);
  return filter;
}

/** An empty filter comes from an earlier query without results. Without this check, it would mean all media. */
function refuseNoIds(filters: Fields, ids: readonly string[] | undefined): void {
  if (ids !== undefined || !('ids' in filters)) return;
  throw new ValidationError(
    'ids',
    '"IDs" is empty',
    'Without IDs, the search would find all media. Remove items without IDs before this node, or remove the filter.',
  );
}
