import type { IExecuteFunctions } from 'n8n-workflow';
import type { JsonObject } from '../../../api/json';
import { itemOf, plainJson } from '../items';
import { WAITS_AT_ONCE } from '../operation';
import type { Operation } from '../operation';
import { SIMPLIFY, simplifyOf, textField } from '../parameters';
import { UPLOAD_BY, uploadIdOf } from './fields/upload-id';
import { sessionJson } from './upload-output';
import { workflowIdOf } from './fields/workflow-id';
import type { RetryingService } from '../../../api/service/service';
import { pollToTheEnd } from '../../../api/upload/direct/poll-to-the-end';
import { DEFAULT_UPLOAD_OPTIONS } from '../../../api/options/upload-options';
import { processingFailed, readSession } from '../../../api/upload/session/poll-session';
import type { UploadSession } from '../../../api/upload/session/session';

/** Upload > Wait: waits for an upload that was started without waiting, by its workflow or its session. */
export const wait: Operation = {
  option: {
    name: 'Wait',
    value: 'wait',
    description: 'Wait for the end of an upload that was started before',
    action: 'Wait for an upload',
  },
  parameters: [...UPLOAD_BY, SIMPLIFY],

  atOnce: WAITS_AT_ONCE,

  async execute({ context, signal, service }, itemIndex) {
    const simplify = simplifyOf(context, itemIndex);
    const found = foundBefore(context, itemIndex);
    if (found !== undefined) return [itemOf(found, itemIndex)];
    const uploadId = uploadIdOf(context, itemIndex);
    if (uploadId !== undefined) {
      const session = await awaitSession(await service(itemIndex), uploadId, signal);
      return [itemOf(sessionJson(session, simplify), itemIndex)];
    }
    return { list: 'uploads', workflowId: workflowIdOf(context, itemIndex), simplify };
  },
};

/** The output of an upload that found finished media under its ingest key: there is no session to wait for. */
function foundBefore(context: IExecuteFunctions, itemIndex: number): JsonObject | undefined {
  const { json } = context.getInputData()[itemIndex] ?? {};
  const isFound = json?.['status'] === 'COMPLETED' && json['uploadId'] === undefined;
  const isAsked =
    context.getNodeParameter('by', itemIndex) === 'uploadId' &&
    textField(context.getNodeParameter('uploadId', itemIndex), 'Upload ID') === undefined;
  return isFound && isAsked ? plainJson(json) : undefined;
}

/**
 * The session after it is COMPLETED. Rejects with the service's reason if it is FAILED, and at once for an unknown id.
 */
async function awaitSession(
  service: RetryingService,
  uploadId: string,
  signal: AbortSignal | undefined,
): Promise<UploadSession> {
  await readSession(service, uploadId, signal);
  const { processingLimitMs: limitMs } = DEFAULT_UPLOAD_OPTIONS;
  const hooks = signal === undefined ? {} : { signal };
  const session = await pollToTheEnd(
    service.once,
    { uploadId, completedAt: service.clock.now(), limitMs },
    hooks,
  );
  if (session.status === 'FAILED') throw processingFailed(session);
  return session;
}
