import { createHash } from 'node:crypto';
import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { canonicalJson } from '../../api/canonical-json';
import { MediaServiceError } from '../../api/errors';
import { isJsonObject } from '../../api/json';
import type { JsonObject } from '../../api/json';
import { nodeErrorOf } from '../MediaService/node-error';
import { openEvent } from './open-event';
import { openPoll } from './poll-access';
import type { TriggerEvent } from './trigger-event';

/** Static data of nodes that are being polled: n8n starts a poll although the one before has not ended. */
const polled = new WeakSet<object>();

/** One poll of the trigger, or "Fetch test event" of the editor. A poll that fails moves nothing. */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
  const access = openPoll(context);
  try {
    const event = await openEvent(access);
    const items = context.getMode() === 'manual' ? [await exampleOf(event)] : await newOf(event, context);
    return items.length === 0 ? null : [items.map((json: IDataObject) => ({ json }))];
  } catch (error) {
    throw nodeErrorOf(context.getNode(), error, 0);
  } finally {
    await access.close();
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

async function exampleOf(event: TriggerEvent): Promise<JsonObject> {
  const example = await event.example();
  if (example !== undefined) return example;
  throw new MediaServiceError('Validation', event.none, {
    hint: 'There is nothing to show as a test event. The trigger works all the same: activate the workflow, and it starts with the next one.',
  });
}

/** The stored state, where it was made for what is asked now. One text keeps it small, and what n8n compares cheap. */
function stateOf(stored: unknown, asks: string): unknown {
  const parsed: unknown = typeof stored === 'string' ? parse(stored) : undefined;
  return isJsonObject(parsed) && parsed['asks'] === asks ? parsed['state'] : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function hashOf(asks: JsonObject): string {
  return createHash('sha256').update(canonicalJson(asks)).digest('base64url').slice(0, 22);
}
