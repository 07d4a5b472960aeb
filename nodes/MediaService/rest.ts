import type {
  IDataObject,
  IExecuteFunctions,
  INodeExecutionData,
  IWebhookDescription,
  IWebhookFunctions,
  IWebhookResponseData,
} from 'n8n-workflow';
import { HOUR_MS, SECOND_MS } from '../../api/clock';
import { hasCode } from '../../api/errors';
import type { JsonObject } from '../../api/json';
import { mapAll } from '../../api/map-in-order';
import { n8nClock } from '../../n8n/n8n-clock';
import { openDoor, pathOf, WORKER_CREDENTIAL } from './access/door';
import type { Door } from './access/door';
import { outputOf, resultOf } from './await-end';
import type { AwaitedEnd } from './await-end';
import { plainJson } from './output';
import { failedItem, nodeErrorOf } from './node-error';
import { executionKeyOf, isTool } from './node-execution';
import type { NodeExecution } from './node-execution';

/**
 * While uploads and batches run on workers, n8n can put the execution to rest. It then holds no memory and no slot, and
 * survives restarts of n8n. The door posts to the resume URL once all have ended. docs/decisions/n8n.md says what n8n does.
 */

/** Ends the address of our posts, so that no other waiting node of the execution takes them. */
const PATH = 'media-service-ends';
export const RESUME_WEBHOOKS: IWebhookDescription[] = [
  { name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: PATH, restartWebhook: true },
];
const REST_MS = 7 * 24 * HOUR_MS;
/** As many as the door takes. */
const MAX_ENDS = 500;
const READS_AT_ONCE = 20;
/** While n8n starts, it takes posts before it marks as crashed what runs. What it resumed meanwhile would be lost. */
const START_MS = 30 * SECOND_MS;
let firstPostAt: number | undefined;

/** An item of a resting execution, as n8n keeps it. */
interface RestingItem extends INodeExecutionData {
  /** What it awaits, as plain data. */
  readonly rests?: IDataObject;
}

/** n8n's own has types that are not installed here. */
interface Response {
  setHeader(name: string, value: string): unknown;
  status(code: number): { json(body: object): void };
}

/** Without "continue on fail", a failure could not stop the execution: on resume, n8n only passes items on. */
export function mayRest(context: IExecuteFunctions): boolean {
  const [mode, { name }] = [context.getMode(), context.getNode()];
  if (!context.continueOnFail() || isTool(context)) return false;
  if (mode !== 'webhook') return ['manual', 'trigger', 'integrated', 'retry', 'error'].includes(mode);
  // Whoever waits for the output gets it too early otherwise.
  const before = context.getParentNodes(name, { includeNodeParameters: true });
  const modes = before.flatMap(({ parameters }) => parameters?.['responseMode'] ?? []);
  return modes.length > 0 && modes.every((response) => response === 'onReceived');
}

/**
 * Puts the execution to rest until all have ended. Resolves with false if the door can't reach n8n, or is refused.
 * When the time has passed, n8n passes on these items.
 */
export async function rest(
  { context, door }: NodeExecution,
  items: readonly INodeExecutionData[],
  ends: ReadonlyMap<number, AwaitedEnd>,
): Promise<boolean> {
  const ids = [...new Set([...ends.values()].map(({ workflowId }) => workflowId))];
  const [first = 0] = ends.keys();
  const waitId = executionKeyOf(context, first);
  const url = new URL(context.evaluateExpression('{{ $execution.resumeUrl }}', first) as string);
  url.pathname += `/${PATH}`;
  // n8n runs the node again at once, on what it would find here.
  const isRetried = context.getNode().retryOnFail === true && items[0]?.json['error'] !== undefined;
  if (isRetried || ids.length > MAX_ENDS) return false;
  const body = { ids, url: url.href, waitId, limitSeconds: REST_MS / SECOND_MS, probe: true };
  try {
    await (await door(first)).post('/v1/waits', body);
  } catch (error) {
    const { message } = nodeErrorOf(context.getNode(), error);
    context.logger.info(`${context.getNode().name} holds its execution while it waits: ${message}`);
    return false;
  }
  const resting: RestingItem[] = items.map((item, index) => {
    const end = ends.get(index);
    return end === undefined ? item : { ...item, rests: plainJson({ ...end, waitId }) as IDataObject };
  });
  // On resume, n8n passes the input on.
  context.getExecuteData().data['main'] = [resting];
  await context.putExecutionToWait(new Date(n8nClock.now() + REST_MS));
  return true;
}

/** The item while its end is awaited. */
export function restingItem(end: AwaitedEnd, itemIndex: number): INodeExecutionData {
  const note = 'Still running: see Get, or Wait, with this workflow ID';
  return { json: { ...outputOf(end), status: 'RUNNING', note }, pairedItem: { item: itemIndex } };
}

/**
 * Answers a post of the door: the output has an item for each input item, in their order. Everything in it is read from
 * the door; a post only says when. A post for another wait, or too early, is refused with 409, and without the door
 * or soon after the first one of this process with 503, so that it is repeated. It never throws: n8n would drop all
 * results and continue with an empty item.
 */
export async function resume(context: IWebhookFunctions): Promise<IWebhookResponseData> {
  const response = context.getResponseObject() as Response;
  const refuse = (status: number, error: string): IWebhookResponseData => {
    response.status(status).json({ error });
    return { noWebhookResponse: true };
  };
  const now = n8nClock.now();
  firstPostAt ??= now;
  const startsForMs = firstPostAt + START_MS - now;
  if (startsForMs > 0) {
    response.setHeader('retry-after', String(Math.ceil(startsForMs / SECOND_MS)));
    return refuse(503, 'n8n may still be starting.');
  }
  try {
    const items = itemsOf(context);
    const waitId = items.find(({ rests }) => rests !== undefined)?.rests?.['waitId'];
    if (waitId === undefined || context.getBodyData()['waitId'] !== waitId)
      return refuse(409, 'This node waits for another post.');
    const data = await context.getCredentials<Record<string, unknown>>(WORKER_CREDENTIAL);
    const door = openDoor(context.helpers, data, undefined);
    const output = await mapAll(items.entries(), READS_AT_ONCE, ([index, item]) =>
      endOf(context, door, { index, item }),
    );
    if (output.includes(undefined)) return refuse(409, 'Not all have ended.');
    return { workflowData: [output.filter((item) => item !== undefined)] };
  } catch (error) {
    const { message } = nodeErrorOf(context.getNode(), error);
    context.logger.warn(`${context.getNode().name} can't be resumed yet: ${message}`);
    return refuse(503, message);
  }
}

/**
 * The items with which the execution rests. `$input` has their JSON only in a workflow with files in its JSON, and
 * `$items()` the first one only if the node before has Execute Once.
 */
function itemsOf(context: IWebhookFunctions): RestingItem[] {
  const length = Number(context.evaluateExpression('{{ $input.all().length }}', 0));
  const itemAt = (index: number): unknown => context.evaluateExpression('{{ $thisItem }}', index);
  return Array.from({ length }, (_, index) => itemAt(index) as RestingItem);
}

/** Undefined while it runs. */
async function endOf(
  context: IWebhookFunctions,
  door: Door,
  { index, item: { rests, ...item } }: { readonly index: number; readonly item: RestingItem },
): Promise<INodeExecutionData | undefined> {
  if (rests === undefined) return item;
  const end = rests as unknown as AwaitedEnd;
  const shown = await door.get(pathOf(end.list, end.workflowId)).catch(forgotten);
  try {
    const result = resultOf(shown);
    return result === undefined ? undefined : { json: outputOf(end, result), pairedItem: { item: index } };
  } catch (error) {
    return failedItem(nodeErrorOf(context.getNode(), error, index), index);
  }
}

/** What Temporal no longer knows has failed, too. */
function forgotten(error: unknown): JsonObject {
  if (!hasCode(error, 'RequestRefused')) throw error;
  const { code, message } = error;
  return { error: { code, message } };
}
