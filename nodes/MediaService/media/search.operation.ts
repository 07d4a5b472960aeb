import { choices, collectionOf, field, switchField } from '../../../n8n/form-fields';
import { ValidationError } from '../../../api/errors';
import { given } from '../../../api/json';
import { MEDIA_TYPES } from '../../../api/media/media-filter';
import type { MediaFilter, SortRule } from '../../../api/media/media-filter';
import { eachMedia } from '../../../api/media/media-search';
import { readAgainIfFewer } from '../../../api/pages/each-page';
import { itemOf, mediaJson } from '../output';
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

export const TAGS = field('tags', {
  type: 'json',
  default: '{}',
  placeholder: 'e.g. {"campaign": "spring-26"}',
  description: 'Tags as a JSON object, also from an expression',
});

export const SEARCH_TERM = field('searchTerm', {
  placeholder: 'e.g. kitchen after',
  description: 'Words of the title, matched flexibly. Empty: all media.',
});

/** The rest of the media search filter. api.md, "Media search filter". */
export const FILTERS = collectionOf('Filter', [
  switchField('isActive', {
    default: true,
    description: 'Whether to find active media only, or inactive media only',
  }),
  field('ids', {
    placeholder: 'e.g. 9f2c…, 77ab…',
    description: 'Media IDs, separated by commas, or a list from an expression',
  }),
  switchField('isLibrary', {
    default: true,
    description: 'Whether to find media of the permanent library only, or other media only',
  }),
  TAGS,
  field('type', {
    type: 'options',
    default: 'VIDEO',
    options: choices(MEDIA_TYPES),
  }),
]);

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
