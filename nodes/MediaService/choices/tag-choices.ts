import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { mediaTags } from '../../../api/media/media-filter';
import { searchMedia } from '../../../api/media/media-search';
import type { Service } from '../../../api/service/service';
import { textField } from '../parameters';
import { choicesOf, loadChoices, requireChoices } from './load-choices';

const SAMPLE = 500;
const WHERE = `the first ${SAMPLE} media`;

/** Keys of tags from a sample of the media. */
export async function searchTagKeys(
  this: ILoadOptionsFunctions,
  filter?: string,
): Promise<INodeListSearchResult> {
  return loadChoices(this, async (service) => {
    const keys = new Set((await sampledTags(service)).map(([key]) => key));
    const way = 'Choose "By Name" and type the key.';
    return { results: choicesOf(requireChoices(this, keys, { what: 'tag', where: WHERE, way }), filter) };
  });
}

/** Values found with the key in the field next to this one. */
export async function searchTagValues(
  this: ILoadOptionsFunctions,
  filter?: string,
): Promise<INodeListSearchResult> {
  return loadChoices(this, async (service) => {
    const wanted = textField(this.getCurrentNodeParameter('&key'), 'Key');
    const seen = (await sampledTags(service)).filter(([key]) => wanted === undefined || key === wanted);
    const values = new Set(seen.map(([, value]) => value));
    const what = wanted === undefined ? 'tag' : `value of the tag "${wanted}"`;
    const way = 'Choose "By Value" and type it.';
    return { results: choicesOf(requireChoices(this, values, { what, where: WHERE, way }), filter) };
  });
}

async function sampledTags(service: Service): Promise<[string, string][]> {
  const { items } = await searchMedia(service, {}, { page: 0, size: SAMPLE });
  return items.flatMap((media) =>
    Object.entries(mediaTags(media)).flatMap(([key, value]): [string, string][] =>
      typeof value === 'string' || typeof value === 'number' ? [[key, String(value)]] : [],
    ),
  );
}
