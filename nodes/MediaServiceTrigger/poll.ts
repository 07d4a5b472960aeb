import { createHash } from 'node:crypto';
import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { canonicalJson, isJsonObject, parsedJson } from '../../api/json';
import type { JsonObject } from '../../api/json';
import { nodeErrorOf } from '../MediaService/node-error';
import { openEvent } from './events';
import type { TriggerEvent } from './period-event';

/** Static data of nodes with a running poll, because n8n starts a poll even if the previous one has not ended. */
const polled = new WeakSet<object>();

/** One poll of the trigger, or "Fetch Test Event" in the editor. A failed poll changes no state. */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
  try {
    const event = await openEvent(context);
    const isTest = context.getMode() === 'manual';
    const items = isTest
      ? [await event.example()].filter((one) => one !== undefined)
      : await newOf(event, context);
    // An empty output counts as a run of the node, so that the editor shows `TEST_HINT`.
    return items.length === 0 && !isTest ? null : [items.map((json: IDataObject) => ({ json }))];
  } catch (error) {
    throw nodeErrorOf(context.getNode(), error, 0);
  }
}

async function newOf(event: TriggerEvent, context: IPollFunctions): Promise<readonly JsonObject[]> {
  const data = context.getWorkflowStaticData('node');
  if (polled.has(data)) return [];
  polled.add(data);
  try {
    const asks = hashOf(event.asks);
    const { state, items } = await event.poll(stateOf(data['state'], asks));
    data['state'] = JSON.stringify({ asks, state });
    return items;
  } finally {
    polled.delete(data);
  }
}

/**
 * The stored state, if it belongs to the current parameters. It is one text, which is small and which n8n can compare
 * quickly.
 */
function stateOf(stored: unknown, asks: string): unknown {
  const parsed: unknown = typeof stored === 'string' ? parsedJson(stored) : undefined;
  return isJsonObject(parsed) && parsed['asks'] === asks ? parsed['state'] : undefined;
}

function hashOf(asks: JsonObject): string {
  return createHash('sha256').update(canonicalJson(asks)).digest('base64url').slice(0, 22);
}
