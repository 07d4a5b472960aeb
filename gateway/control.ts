import { MediaServiceError } from '../api/errors';
import { batchWorkflowId, isBatchWorkflowId } from '../temporal/batch/ids';
import { openBatch } from '../temporal/batch/client/open-batch';
import { unservedControl } from '../temporal/client/control-workflow';
import { noWorker } from '../temporal/client/unserved-queues';
import { openUpload } from '../temporal/upload/client/open-upload';
import { uploadWorkflowId } from '../temporal/upload/types';
import { shownAdvice } from './error-answer';
import { requireOwn } from './own-workflow';
import type { Noun, Warning } from './own-workflow';
import type { Answer, Call, Route } from './route';
import { ref } from './schemas';

const REQUESTS = ['pause', 'resume', 'cancel'] as const;
type Request = (typeof REQUESTS)[number];

const DOES: Readonly<Record<Request, string>> = {
  pause: 'Begin no new part or row; what is being sent ends',
  resume: 'Continue after a pause',
  cancel: 'End it; what was uploaded stays in the service',
};

export const PATHS = { upload: '/v1/uploads', batch: '/v1/batches' } as const;
const NAMES = { upload: 'Upload', batch: 'Batch' } as const;

/** The workflow that an id in an address means: its own id, or the short name within the account. */
export function workflowOf(noun: Noun, { id, caller }: Pick<Call, 'id' | 'caller'>): string {
  if (noun === 'batch') return isBatchWorkflowId(id) ? id : batchWorkflowId(caller.accountId, id);
  return id.startsWith('upload/') ? id : uploadWorkflowId(caller.accountId, id);
}

/** `pause`, `resume` and `cancel`. */
export function controlRoutes(noun: Noun): Route[] {
  return REQUESTS.map((request) => ({
    method: 'POST',
    path: `${PATHS[noun]}/{id}/${request}`,
    operationId: `${request}${NAMES[noun]}`,
    summary: DOES[request],
    right: 'control',
    answers: { 202: ref('Requested') },
    handle: (call) => control(noun, request, call),
  }));
}

async function control(noun: Noun, request: Request, call: Call): Promise<Answer> {
  const { connection } = call;
  const id = workflowOf(noun, call);
  await requireOwn(call, id, noun);
  await (noun === 'upload' ? openUpload(connection, id) : openBatch(connection, id))[request]();
  return { status: 202, body: { id, requested: request, warnings: await waitingFor(call, id, request) } };
}

/** Temporal has taken the request, which waits if no worker runs. */
async function waitingFor({ connection }: Call, id: string, request: Request): Promise<Warning[]> {
  try {
    const unserved = await unservedControl(connection, id);
    if (unserved === undefined) return [];
    const { message, facts } = noWorker(unserved);
    const waits = `${message} The request (${request}) takes effect when one runs.`;
    return [shownAdvice({ message: waits, ...facts })].map(({ hint }) => ({
      message: waits,
      ...(hint === undefined ? {} : { hint }),
    }));
  } catch (error) {
    if (!(error instanceof MediaServiceError)) throw error;
    return [{ message: "It can't be checked whether a worker is running." }];
  }
}
