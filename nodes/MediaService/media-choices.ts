import type {
  ILoadOptionsFunctions,
  INodeListSearchItems,
  INodeListSearchResult,
  INodeProperties,
} from 'n8n-workflow';
import type { Service } from '../../api/service/service';
import type { JsonObject } from '../../api/json';
import { mediaText } from '../../api/media/media-filter';
import { searchMedia as searchMediaPage } from '../../api/media/media-search';
import type { Page } from '../../api/pages/search-answer-shapes';
import { openService } from './access/open-service';
import { nodeErrorOf } from './node-error';

const PAGE_SIZE = 50;

/** One media, found by its title or identified by its id. */
export const MEDIA_LOCATOR: INodeProperties = {
  displayName: 'Media',
  name: 'mediaId',
  type: 'resourceLocator',
  default: { mode: 'list', value: '' },
  description: 'Only deliveries about this media item',
  modes: [
    {
      displayName: 'From List',
      name: 'list',
      type: 'list',
      placeholder: 'Select media…',
      typeOptions: { searchListMethod: 'searchMedia', searchable: true },
    },
    { displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. 9f2c41d0' },
  ],
};

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

/**
 * Asks the service for the choices of a field in the editor. Errors say what happened and what to do, as in a run.
 * Shares tokens with the runs.
 */
async function loadChoices(
  context: ILoadOptionsFunctions,
  load: (service: Service) => Promise<INodeListSearchResult>,
): Promise<INodeListSearchResult> {
  const releases: (() => void)[] = [];
  const loading = async (): Promise<INodeListSearchResult> => {
    const data = await context.getCredentials<Record<string, unknown>>('mediaServiceApi');
    const { service, release } = openService(context.helpers, data);
    releases.push(release);
    return load(service);
  };
  return loading()
    .catch((error: unknown) => {
      throw nodeErrorOf(context.getNode(), error);
    })
    .finally(() => releases.forEach((release) => release()));
}
