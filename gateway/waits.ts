import { hash } from 'node:crypto';
import { hasCode, ValidationError } from '../api/errors';
import { given } from '../api/json';
import { mapAll } from '../api/map-in-order';
import { isBatchWorkflowId } from '../temporal/batch/ids';
import { probeReceiver, requirePostHost } from '../temporal/waits/activities';
import { readWait, startWait } from '../temporal/waits/client';
import { AnsweredError, notFound, shownFailure } from './error-answer';
import { ownWorkflow } from './existing';
import type { Answer, Call, Route } from './route';
import type { Read } from './schemas';
import { flag, list, request, text, whole } from './schemas';

const MAX_IDS = 500;
const DAY_SECONDS = 86_400;
const DEFAULT_LIMIT_SECONDS = 7 * DAY_SECONDS;
const READ_AT_ONCE = 10;

/** Where ends are posted; also a field of each start. */
export const POST_URL = text('Ends are posted to this URL of an allowed host', {
  minLength: 1,
  maxLength: 4_096,
});

const START = request(
  {
    ids: list(text('Of an upload or a batch', { maxLength: 1_000 }), { minItems: 1, maxItems: MAX_IDS }),
    url: POST_URL,
    waitId: text('Names the wait: a second start with this id changes nothing', {
      minLength: 1,
      maxLength: 200,
    }),
    limitSeconds: whole('How long it is tried; a week otherwise', 1, 30 * DAY_SECONDS),
    probe: flag('Refuse the wait unless the URL answers 409 now, as n8n does while an execution runs'),
  },
  ['ids', 'url'],
);
type WaitBody = Read<typeof START>;

export const WAIT_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/v1/waits',
    operationId: 'startWait',
    summary: 'Post the ends of uploads and batches to a URL, once all have ended',
    right: 'start',
    body: START,
    answer: 'Wait',
    // The schema has checked the form.
    handle: (call) => start(call, call.body as WaitBody),
  },
  {
    method: 'GET',
    path: '/v1/waits/{id}',
    operationId: 'getWait',
    summary: 'Show whether the ends were posted',
    right: 'read',
    answer: 'Wait',
    handle: show,
  },
];

async function start(call: Call, body: WaitBody): Promise<Answer> {
  const { url } = body;
  requirePostUrl(call, url);
  const ids = await mapAll(body.ids, READ_AT_ONCE, (id) =>
    ownWorkflow(isBatchWorkflowId(id) ? 'batch' : 'upload', { ...call, id }),
  );
  if (body.probe === true) {
    const { transport, clock, config, signal } = call;
    const answer = await probeReceiver({ transport, clock, hosts: config.postTo ?? [] }, url, signal);
    // This proves that the receiver is reached, and that it knows the URL.
    if (answer !== 409) {
      const message = `${new URL(url).host} answers ${answer ?? 'nothing'} to a post, not 409.`;
      throw new AnsweredError(409, 'RequestRefused', message);
    }
  }
  const wait = await registerWait(call, { waitId: waitIdOf([...ids, url]), ...body, ids });
  return { status: wait.joined ? 200 : 201, body: wait };
}

function waitIdOf(parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts));
}

/** Registers the wait of a start, once for each run of what was started. */
export async function waitForStarted(call: Call, url: string, id: string): Promise<void> {
  const { runId } = await call.connection.client.workflow.getHandle(id).describe();
  await registerWait(call, { ids: [id], url, waitId: waitIdOf([id, runId, url]) });
}

async function registerWait(
  { connection, queuePrefix, caller }: Call,
  { ids, url, waitId, limitSeconds = DEFAULT_LIMIT_SECONDS }: WaitBody & { readonly waitId: string },
): Promise<{ readonly waitId: string; readonly joined: boolean }> {
  const { account, token } = caller;
  const wait = { account, queuePrefix, waitId, ids, url, limitMs: limitSeconds * 1_000 };
  return { waitId, ...(await startWait(connection, { ...wait, ...given({ token: token?.name }) })) };
}

/** Refuses a URL before anything is started for it. */
export function requirePostUrl({ config }: Pick<Call, 'config'>, url: string): void {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new ValidationError('url', 'url must be an http(s) URL.');
  }
  requirePostHost(new URL(url), config.postTo ?? []);
}

async function show({ connection, caller, id: waitId }: Call): Promise<Answer> {
  try {
    const { error, ...state } = await readWait(connection, { accountId: caller.accountId, waitId });
    return { body: { waitId, ...state, ...(error === undefined ? {} : { error: shownFailure(error) }) } };
  } catch (error) {
    if (hasCode(error, 'RequestRefused')) throw notFound(`There is no wait ${waitId} of this account.`);
    throw error;
  }
}
