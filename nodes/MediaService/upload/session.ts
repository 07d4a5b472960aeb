import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import type { JsonObject } from '../../../api/json';
import type { RetryingService } from '../../../api/service/service';
import { pollToTheEnd } from '../../../api/upload/engine/direct-steps';
import { DEFAULT_UPLOAD_OPTIONS } from '../../../api/options/upload-options';
import { processingFailed } from '../../../api/upload/protocol/poll-session';
import { readSession } from '../../../api/upload/protocol/session';
import type { UploadSession } from '../../../api/upload/protocol/session';
import { itemOf, plainJson, sessionJson } from '../output';
import type { NodeExecution } from '../node-execution';
import { field } from '../../../n8n/form-fields';
import { locatorField } from '../locator';
import { requiredText, SIMPLIFY, simplifyOf, textField } from '../parameters';

export const WORKFLOW_ID = locatorField('workflowId', 'uploads', {
  placeholder: 'e.g. upload/acme-1a2b3c4d/order-4711',
  description: 'ID of an upload on a worker, as Upload > Upload returns it',
});

/** How an upload is identified: by its workflow on workers, or by its session in the service, which every upload has. */
const UPLOAD_BY: INodeProperties[] = [
  field('by', {
    type: 'options',
    noDataExpression: true,
    default: 'uploadId',
    options: [
      {
        name: 'Upload ID',
        value: 'uploadId',
        description: 'Reads the status from the service; needs no worker',
      },
      { name: 'Workflow ID', value: 'workflowId', description: 'Reads the progress from the worker' },
    ],
  }),
  { ...WORKFLOW_ID, displayOptions: { show: { by: ['workflowId'] } } },
  field('uploadId', {
    required: true,
    default: '={{ $json.uploadId }}',
    displayOptions: { show: { by: ['uploadId'] } },
    description: 'ID of the upload session',
  }),
];

/** The fields of Get and Wait. What a worker shows of a running upload is never simplified. */
export function identifiedBy(waits: boolean): INodeProperties[] {
  return [...UPLOAD_BY, waits ? SIMPLIFY : { ...SIMPLIFY, displayOptions: { show: { by: ['uploadId'] } } }];
}

/**
 * The session in the service, or after its end. Undefined if the workflow identifies the upload. api.md, "GET
 * {upload_url}/upload/{uploadId}".
 */
export async function sessionItems(
  { context, signal, service }: NodeExecution,
  itemIndex: number,
  waits: boolean,
): Promise<INodeExecutionData[] | undefined> {
  if (context.getNodeParameter('by', itemIndex) === 'workflowId') return undefined;
  const found = waits ? foundBefore(context, itemIndex) : undefined;
  if (found !== undefined) return [itemOf(found, itemIndex)];
  const hint =
    'Take it from the output of an upload. An upload on a worker has it once it has begun: choose "Identify Upload By: Workflow ID" for it.';
  const uploadId = requiredText(context, { name: 'uploadId', hint }, itemIndex);
  const account = await service(itemIndex);
  const session = await readSession(account, uploadId, signal);
  const shown = waits ? await awaitEnd(account, uploadId, signal) : session;
  return [itemOf(sessionJson(shown, simplifyOf(context, itemIndex)), itemIndex)];
}

/** The output of an upload that found finished media under its ingest key: there is no session to wait for. */
function foundBefore(context: IExecuteFunctions, itemIndex: number): JsonObject | undefined {
  const { json } = context.getInputData()[itemIndex] ?? {};
  const isFound = json?.['status'] === 'COMPLETED' && json['uploadId'] === undefined;
  const isAsked = textField(context.getNodeParameter('uploadId', itemIndex), 'uploadId') === undefined;
  return isFound && isAsked ? plainJson(json) : undefined;
}

/** The session after it is COMPLETED. Rejects with the service's reason if it is FAILED. */
async function awaitEnd(
  service: RetryingService,
  uploadId: string,
  signal: AbortSignal | undefined,
): Promise<UploadSession> {
  const { processingLimitMs: limitMs } = DEFAULT_UPLOAD_OPTIONS;
  const polled = { uploadId, completedAt: service.clock.now(), limitMs };
  const session = await pollToTheEnd(service.once, polled, signal === undefined ? {} : { signal });
  if (session.status === 'FAILED') throw processingFailed(session);
  return session;
}
