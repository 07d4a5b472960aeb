import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';
import type { JsonObject } from '../../../api/json';
import { mediaText } from '../../../api/media/media-filter';
import { searchMedia as searchMediaPage } from '../../../api/media/media-search';
import type { Page } from '../../../api/pages/each-page';
import { choicesOf, loadChoices, requireChoices } from './load-choices';

const PAGE_SIZE = 50;

/** Media whose title matches the typed text, page by page. api.md, "POST {base_url}/api/media/search". */
export async function searchMedia(
  this: ILoadOptionsFunctions,
  filter?: string,
  paginationToken?: unknown,
): Promise<INodeListSearchResult> {
  const { page, seen } = positionOf(paginationToken);
  const searchTerm = filter?.trim() ?? '';
  return loadChoices(this, async (service) => {
    const found = await searchMediaPage(service, searchTerm === '' ? {} : { searchTerm }, {
      page,
      size: PAGE_SIZE,
    });
    const results = found.items.flatMap(choiceOf);
    const seenNow = seen + found.items.length;
    // The service's own page number, because a service that counts from 1 reads 0 as 1.
    const next = (found.page ?? page) + 1;
    return isLast(found, seenNow) ? { results } : { results, paginationToken: `${next}:${seenNow}` };
  });
}

/** Media without a readable id can't be chosen. */
function choiceOf(media: JsonObject): INodeListSearchItems[] {
  const id = mediaText(media, 'id');
  if (id === undefined) return [];
  const type = mediaText(media, 'type');
  const title = mediaText(media, 'title') ?? id;
  return [{ name: type === undefined ? title : `${title} (${type.toLowerCase()})`, value: id }];
}

function positionOf(token: unknown): { page: number; seen: number } {
  const [page = 0, seen = 0] = typeof token === 'string' ? token.split(':').map(Number) : [];
  return { page, seen };
}

function isLast({ items, totalElements }: Page, seen: number): boolean {
  if (items.length === 0) return true;
  return totalElements === undefined ? items.length < PAGE_SIZE : seen >= totalElements;
}

/** Properties with a single value, from a sample of the media. */
export async function searchSortProperties(
  this: ILoadOptionsFunctions,
  filter?: string,
): Promise<INodeListSearchResult> {
  return loadChoices(this, async (service) => {
    const { items } = await searchMediaPage(service, {}, { page: 0, size: PAGE_SIZE });
    const seen = items.flatMap((media) =>
      Object.entries(media).flatMap(([name, value]) => (typeof value === 'object' ? [] : [name])),
    );
    const where = `the first ${PAGE_SIZE} media`;
    const way = 'Choose "By Name" and type the property.';
    const names = requireChoices(this, new Set(seen), { what: 'property', where, way });
    return { results: choicesOf(names, filter) };
  });
}
