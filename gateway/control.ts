import { given } from '../api/json';
import { batchWorkflowId, isBatchWorkflowId } from '../temporal/batch/ids';
import { openBatch } from '../temporal/batch/client/open-batch';
import { unservedControl } from '../temporal/client/control-workflow';
import { noWorker } from '../temporal/client/unserved-queues';
import { openUpload } from '../temporal/upload/client/open-upload';
import { uploadWorkflowId } from '../temporal/upload/types';
import { shownAdvice } from './error-answer';
import { MAX_WAIT_SECONDS } from './gateway-config';
import { requireOwn, unlessUnknown } from './own-workflow';
import type { Noun, Warning } from './own-workflow';
import { PAGED } from './paging';
import type { Answer, Call, Route } from './route';
import { flag, ref, whole } from './schemas';

const REQUESTS = ['pause', 'resume', 'cancel'] as const;
type Request = (typeof REQUESTS)[number];

const DOES: Readonly<Record<Request, string>> = {
  pause: 'Begin no new part or row; what is being sent ends',
  resume: 'Continue after a pause',
  cancel: 'End it; what was uploaded stays in the service',
};

export const PATHS = { upload: '/v1/uploads', batch: '/v1/batches' } as const;
/** Field of a start of a batch. */
export const PLAN = flag(
  'Answer when a worker has read the rows, or refused them: after half a minute at most',
);
const NAMES = { upload: 'Upload', batch: 'Batch' } as const;
const PLURALS = { upload: 'Uploads', batch: 'Batches' } as const;

/** The workflow that an id in an address means: its own id, or the short name within the account. */
export function workflowOf(noun: Noun, { id, caller }: Pick<Call, 'id' | 'caller'>): string {
  if (noun === 'batch') return isBatchWorkflowId(id) ? id : batchWorkflowId(caller.accountId, id);
  return id.startsWith('upload/') ? id : uploadWorkflowId(caller.accountId, id);
}

interface Existing {
  /** Fields by which a list is filtered. */
  readonly query: NonNullable<Route['query']>;
  readonly list: Route['handle'];
  readonly show: Route['handle'];
  readonly retrySummary: string;
  /** Starts what has ended again, under the same id. */
  readonly retry: (call: Call, id: string) => Promise<Answer>;
}

/** List, show and await, retry, `pause`, `resume` and `cancel`: the same for uploads and batches. */
export function existingRoutes(
  noun: Noun,
  { query, list, show, retrySummary, retry }: Existing,
): readonly Route[] {
  const [path, name] = [PATHS[noun], NAMES[noun]];
  return [
    {
      method: 'GET',
      path,
      operationId: `list${PLURALS[noun]}`,
      summary: `List ${PLURALS[noun].toLowerCase()}, newest first`,
      right: 'read',
      query: { ...PAGED, ...query },
      answers: { 200: ref(PLURALS[noun]) },
      handle: list,
    },
    {
      method: 'GET',
      path: `${path}/{id}`,
      operationId: `get${name}`,
      summary: `Show ${noun === 'upload' ? 'an upload' : 'a batch'}, now or when it has ended`,
      right: 'read',
      query: {
        wait: whole(
          'Wait this long for the end, in seconds, and answer earlier if it ends',
          0,
          MAX_WAIT_SECONDS,
        ),
      },
      answers: { 200: ref(name) },
      handle: show,
    },
    {
      method: 'POST',
      path: `${path}/{id}/retry`,
      operationId: `retry${name}`,
      summary: retrySummary,
      right: 'control',
      query: noun === 'batch' ? { plan: PLAN } : {},
      answers: { 202: ref('Started') },
      async handle(call) {
        const id = workflowOf(noun, call);
        await requireOwn(call, id, noun);
        return { ...(await retry(call, id)), status: 202 };
      },
    },
    ...REQUESTS.map((request): Route => ({
      method: 'POST',
      path: `${path}/{id}/${request}`,
      operationId: `${request}${name}`,
      summary: DOES[request],
      right: 'control',
      answers: { 202: ref('Requested') },
      handle: (call) => control(noun, request, call),
    })),
  ];
}

async function control(noun: Noun, request: Request, call: Call): Promise<Answer> {
  const { connection } = call;
  const id = workflowOf(noun, call);
  await requireOwn(call, id, noun);
  await (noun === 'upload' ? openUpload(connection, id) : openBatch(connection, id))[request]();
  return { status: 202, body: { id, requested: request, warnings: await waitingFor(call, id, request) } };
}

/** Temporal has taken the request, which waits if no worker runs. */
function waitingFor({ connection }: Call, id: string, request: Request): Promise<Warning[]> {
  return unlessUnknown(async () => {
    const unserved = await unservedControl(connection, id);
    if (unserved === undefined) return [];
    const { message, facts } = noWorker(unserved);
    const { hint } = shownAdvice(facts);
    return [
      { message: `${message} The request (${request}) takes effect when one runs.`, ...given({ hint }) },
    ];
  });
}
