import { ValidationError } from '../../../api/errors';
import { given } from '../../../api/json';
import { MEDIA_TYPES } from '../../../api/media/media-filter';
import type { MediaFilter, SortRule } from '../../../api/media/media-filter';
import { eachMedia } from '../../../api/media/media-search';
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
  objectField,
  RETURN_ALL,
  SIMPLIFY,
  simplifyOf,
  textField,
} from '../parameters';
import type { Fields } from '../parameters';
import { mediaJson } from './simple-media';
import { FILTERS, SEARCH_TERM, SORT } from './search-parameters';

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
    const sort = sortOf(context.getNodeParameter('sort', itemIndex, ''));
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
  return given({
    ids: idsOf(filters),
    searchTerm: textField(filters['searchTerm'], 'searchTerm'),
    type: choiceField(filters['type'], 'type', MEDIA_TYPES),
    tags: objectField(filters['tags'], 'tags'),
    isLibrary: booleanField(filters['isLibrary'], 'isLibrary'),
    isActive: booleanField(filters['isActive'], 'isActive'),
  });
}

/** An empty filter comes from an earlier query without results. Without this check, it would mean all media. */
function idsOf(filters: Fields): string[] | undefined {
  const ids = listField(filters['ids'], 'ids');
  if (ids !== undefined || !('ids' in filters)) return ids;
  throw new ValidationError(
    'ids',
    '"IDs" is empty',
    'Without IDs, the search would find all media. Remove items without IDs before this node, or remove the filter.',
  );
}

/** The search itself refuses a rule that it can't send. */
function sortOf(value: unknown): SortRule[] {
  const rules = textField(value, 'sort')?.split(';') ?? [];
  return rules.map((rule) => {
    const [property = '', direction, ignoreCase] = rule.split(',').map((word) => word.trim());
    return {
      property,
      ...given({ direction: choiceField(direction, 'sort', ['ASC', 'DESC'] as const) }),
      ...(choiceField(ignoreCase, 'sort', ['ignorecase']) === undefined ? {} : { ignoreCase: true }),
    };
  });
}
