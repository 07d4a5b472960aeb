import type { ILoadOptionsFunctions, INodeListSearchResult, INodeProperties } from 'n8n-workflow';
import { given, isJsonObject, textAt } from '../../api/json';
import type { JsonObject } from '../../api/json';
import { field } from '../../n8n/form-fields';
import { openDoor, WORKER_CREDENTIAL } from './access/door';
import { nodeErrorOf } from './node-error';

/** A field for an upload or a batch on workers: chosen from a list of the newest ones, or named by its ID. */
export function locatorField(
  name: string,
  list: keyof typeof LIST_SEARCH,
  { placeholder = '', description = '' }: Pick<INodeProperties, 'placeholder' | 'description'>,
): INodeProperties {
  const typeOptions = { searchListMethod: list, searchable: true };
  return field(name, {
    type: 'resourceLocator',
    required: true,
    default: { mode: 'id', value: `={{ $json.${name} }}` },
    modes: [
      { displayName: 'From List', name: 'list', type: 'list', typeOptions },
      { displayName: 'By ID', name: 'id', type: 'string', placeholder },
    ],
    description,
  });
}

/** What the editor shows in these lists: uploads and batches of the credential's account, newest first. */
export const LIST_SEARCH = { uploads: searchOf('uploads'), batches: searchOf('batches') };

function searchOf(list: 'uploads' | 'batches') {
  return async function (
    this: ILoadOptionsFunctions,
    filter?: string,
    page?: string,
  ): Promise<INodeListSearchResult> {
    try {
      const door = openDoor(this.helpers, await this.getCredentials(WORKER_CREDENTIAL), undefined);
      const { items, next } = await door.get(`/v1/${list}`, given({ name: filter, page }));
      const found = Array.isArray(items) ? items.filter(isJsonObject) : [];
      return { results: found.map(entryOf), ...(typeof next === 'string' ? { paginationToken: next } : {}) };
    } catch (error) {
      throw nodeErrorOf(this.getNode(), error);
    }
  };
}

/** As `kitchen.mp4, order-4711 (RUNNING)`. */
function entryOf(shown: JsonObject): { name: string; value: string } {
  const [id = '', name, key, status = ''] = ['id', 'name', 'ingestKey', 'status'].map((at) =>
    textAt(shown, [at]),
  );
  const names = [textAt(shown, ['batchId']) ?? name, key].filter((one) => one !== undefined);
  return { name: `${names.join(', ') || id} (${status})`, value: id };
}
