import { ValidationError } from '../../../api/errors';
import { given } from '../../../api/json';
import type { JsonObject } from '../../../api/json';
import { MEDIA_TYPES } from '../../../api/media/media-filter';
import type { MediaFilter, SortRule } from '../../../api/media/media-filter';
import { eachMedia, searchMedia } from '../../../api/media/media-search';
import { readAgainIfFewer } from '../../../api/pages/each-page';
import { itemOf } from '../items';
import type { Operation } from '../operation';
import {
  booleanField,
  choiceField,
  fieldsOf,
  LIMIT,
  limitOf,
  listField,
  numberField,
  RETURN_ALL,
  rowsOf,
  SIMPLIFY,
  simplifyOf,
  textField,
} from '../parameters';
import type { Fields } from '../parameters';
import { tagsOf } from '../tags';
import { mediaJson } from './simple-media';
import { FILTERS, SEARCH_OPTIONS, SEARCH_TERM, SORT } from './search-parameters';

/** Media > Search. api.md, "POST {base_url}/api/media/search". */
export const search: Operation = {
  option: {
    name: 'Search',
    value: 'search',
    description: 'Find media by title, type, tags and more',
    action: 'Search media',
  },
  parameters: [SEARCH_TERM, RETURN_ALL, LIMIT, FILTERS, SORT, SIMPLIFY, SEARCH_OPTIONS],

  async execute({ context, signal, service }, itemIndex) {
    const filter = filterOf({
      ...fieldsOf(context, 'filters', itemIndex),
      searchTerm: context.getNodeParameter('searchTerm', itemIndex),
    });
    const sort = sortOf(context.getNodeParameter('sort', itemIndex, {}));
    const options = fieldsOf(context, 'options', itemIndex);
    const page = numberField(options['page'], 'Page');
    const size = numberField(options['pageSize'], 'Page Size');
    const request = { signal, sort, ...given({ size }) };
    const limits = page === undefined ? limitOf(context, itemIndex) : {};
    const simplify = simplifyOf(context, itemIndex);
    // Last, because reading the credential costs more than everything above.
    const account = await service(itemIndex);
    return readAgainIfFewer(async () => {
      const found: AsyncIterable<JsonObject> | Iterable<JsonObject> =
        page === undefined
          ? eachMedia(account, filter, { ...request, ...limits })
          : (await searchMedia(account, filter, { ...request, page })).items;
      const items = [];
      for await (const media of found) items.push(itemOf(mediaJson(media, simplify), itemIndex));
      return items;
    });
  },
};

/** The media search filter from these fields. */
export function filterOf(filters: Fields): MediaFilter {
  return given({
    ids: idsOf(filters),
    searchTerm: textField(filters['searchTerm'], 'Search Term'),
    type: choiceField(filters['type'], 'Type', MEDIA_TYPES),
    tags: tagsOf(filters),
    isLibrary: booleanField(filters['isLibrary'], 'In Library'),
    isActive: booleanField(filters['isActive'], 'Active'),
  });
}

/** An empty filter comes from an earlier query without results. Without this check, it would mean all media. */
function idsOf(filters: Fields): string[] | undefined {
  const ids = listField(filters['ids'], 'IDs');
  if (ids !== undefined || !('ids' in filters)) return ids;
  throw new ValidationError(
    'ids',
    '"IDs" is empty',
    'Without IDs, the search would find all media. Remove items without IDs before this node, or remove the filter.',
  );
}

function sortOf(value: unknown): SortRule[] {
  return rowsOf(value, 'rule').map(({ property, direction, ignoreCase }) => ({
    property: textField(property, 'Property') ?? '',
    ...given({
      direction: choiceField(direction, 'Direction', ['ASC', 'DESC'] as const),
      ignoreCase: booleanField(ignoreCase, 'Ignore Case'),
    }),
  }));
}
