import type { Resource } from '../operation';
import { get } from './get.operation';
import { search } from './search.operation';

export const mediaResource: Resource = {
  option: { name: 'Media', value: 'media' },
  operations: [search, get],
};
