import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { isJsonObject } from '../../api/json';
import type { JsonObject } from '../../api/json';

/** The object as an output item, paired with the input item. */
export function itemOf(json: JsonObject, itemIndex: number): INodeExecutionData {
  const data: IDataObject = json;
  return { json: data, pairedItem: { item: itemIndex } };
}

/** The value as plain JSON for an item: dates as ISO 8601, without unset fields. */
export function plainJson(value: object): JsonObject {
  const json: unknown = JSON.parse(JSON.stringify(value));
  return isJsonObject(json) ? json : {};
}

/** The value as an output item, see `plainJson`. */
export function plainItem(value: object, itemIndex: number): INodeExecutionData {
  return itemOf(plainJson(value), itemIndex);
}
