import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { searchMedia } from '../../../api/media/media-search';
import { choicesOf, loadChoices, requireChoices } from './load-choices';

const SAMPLE = 50;

/** Properties with a single value, from a sample of the media. */
export async function searchSortProperties(
  this: ILoadOptionsFunctions,
  filter?: string,
): Promise<INodeListSearchResult> {
  return loadChoices(this, async (service) => {
    const { items } = await searchMedia(service, {}, { page: 0, size: SAMPLE });
    const seen = items.flatMap((media) =>
      Object.entries(media).flatMap(([name, value]) => (typeof value === 'object' ? [] : [name])),
    );
    const where = `the first ${SAMPLE} media`;
    const way = 'Choose "By Name" and type the property.';
    const names = requireChoices(this, new Set(seen), { what: 'property', where, way });
    return { results: choicesOf(names, filter) };
  });
}
