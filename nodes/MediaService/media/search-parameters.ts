import { collectionOf, field, switchField } from '../../../n8n/form-fields';

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
    options: [
      { name: 'Audio', value: 'AUDIO' },
      { name: 'Document', value: 'DOCUMENT' },
      { name: 'Image', value: 'IMAGE' },
      { name: 'Video', value: 'VIDEO' },
    ],
  }),
]);

export const SORT = field('sort', {
  placeholder: 'e.g. createdAt,DESC',
  description:
    'Property, then ASC or DESC, then ignorecase, with commas between them; several rules with semicolons. Empty: the service chooses the order.',
});
