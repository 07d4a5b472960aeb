import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { ValidationError } from '../api/errors';
import { given } from '../api/json';
import { defaultIngestKey, pathIdentity } from '../api/upload/request/default-ingest-key';
import { addressedSource, fileNameOfSource } from '../api/upload/sources/source-rules';
import type { SourceDescriptor } from '../api/upload/sources/source';
import { allowedPath } from '../files/allowed-path';
import { uploadNeed } from '../temporal/client/living-workers';
import type { WorkerNeed } from '../temporal/client/living-workers';
import type { UploadHandle } from '../temporal/upload/client/open-upload';
import { listUploads, readListing, UPLOAD_STATUSES } from '../temporal/upload/client/list-uploads';
import { retryUpload } from '../temporal/upload/client/retry-upload';
import { startUpload } from '../temporal/upload/client/start-upload';
import { existingRoutes, momentOf, warningsOf } from './control';
import type { Period } from './control';
import { keptSource } from './kept-files';
import type { KeptSource } from './kept-files';
import { NOUNS } from './own-workflow';
import type { Listing } from './own-workflow';
import type { Read } from './schemas';
import { ANY_OBJECT, flag, MEDIA_SCHEMA, ref, request, text, UPLOAD_OPTIONS_SCHEMA, whole } from './schemas';
import type { Answer, Call, Route } from './route';
import { POST_URL, requirePostUrl, waitForStarted } from './waits';

const START = request(
  {
    source: text('An absolute path, an http(s) URL, s3://bucket/key, or what POST /v1/files answered', {
      ...{ minLength: 1, maxLength: 8_192 },
    }),
    sourceHost: text("The machine that has the path; otherwise the gateway's own, if it runs with a worker"),
    sharedPath: flag('Every worker mounts the path'),
    minAgeSeconds: whole(
      'The upload waits until the file at the path was not written to for so long',
      0,
      86_400,
    ),
    sourceSecret: text('Name of the worker secret with headers for an http(s) source'),
    fileName: text('Name of the file behind a URL that does not show it'),
    mimeType: text('Type of the file behind such a URL', { maxLength: 200 }),
    bytes: whole('Size of the file behind such a URL', 0, Number.MAX_SAFE_INTEGER),
    sha256: text('SHA-256 of the file behind a URL, so that a later start with another file is refused', {
      pattern: '^[0-9a-f]{64}$',
    }),
    copyFirst: flag('The server of the URL sends no ranges: the worker copies the file first'),
    ingestKey: text('Names the upload: the same key means the same upload', { minLength: 1, maxLength: 500 }),
    again: flag('Upload again although the same was uploaded before'),
    media: MEDIA_SCHEMA,
    metadata: ANY_OBJECT,
    options: UPLOAD_OPTIONS_SCHEMA,
    url: POST_URL,
  },
  ['source'],
);
type StartBody = Read<typeof START>;

export const UPLOAD_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: NOUNS.upload.path,
    operationId: 'startUpload',
    summary: 'Start an upload, or join the one with the same key',
    right: 'start',
    body: START,
    answers: { 201: ref('Started'), 200: ref('Started') },
    // The schema has checked the form.
    handle: (call) => start(call, call.body as StartBody),
  },
  ...existingRoutes('upload', {
    query: {
      status: text(`Only uploads with this status: ${UPLOAD_STATUSES.join(', ')}`, { enum: UPLOAD_STATUSES }),
      name: text('Only uploads whose name contains this text; with a *, the whole name must match', {
        maxLength: 500,
      }),
      from: text('Only uploads that started at this time or later, as 2026-11-01 or -24h', { maxLength: 50 }),
      to: text('Only uploads that started before this time', { maxLength: 50 }),
    },
    list: listed,
    async retry(call, id) {
      const { handle, need } = await retryUpload(call.connection, id);
      return started(call, handle, need);
    },
  }),
];

async function start(call: Call, body: StartBody): Promise<Answer> {
  const { queuePrefix, caller } = call;
  const { account, accountId, options: serviceOptions = {} } = caller;
  if (body.url !== undefined) requirePostUrl(call, body.url);
  const kept = keptSource(body.source, caller);
  const { source, identity } = kept === undefined ? await sourceOf(call, body) : sentFile(kept);
  const { media = {}, metadata, options = {}, again } = body;
  const ingestKey = body.ingestKey ?? defaultIngestKey({ accountId, identity, title: media.title });
  const { maxParts } = serviceOptions;
  const upload = { source, media, ingestKey, options: { ...options, ...given({ maxParts }) } };
  const handle = await startUpload(call.connection, {
    account,
    request: { ...upload, ...given({ metadata }) },
    queuePrefix,
    serviceOptions,
    ...given({ again }),
  });
  if (body.url !== undefined) await waitForStarted(call, body.url, handle.workflowId);
  return started(call, handle, uploadNeed({ queuePrefix, accountId, source }));
}

async function started(call: Call, handle: UploadHandle, need: WorkerNeed): Promise<Answer> {
  const { workflowId, joined, warning } = handle;
  const warnings = await warningsOf(call, need, async () => {
    const hasEnded = joined && (await readListing(call.connection, workflowId)).closedAt !== undefined;
    return hasEnded ? undefined : 'The upload starts';
  });
  const body = {
    id: workflowId,
    joined,
    warnings: [...(warning === undefined ? [] : [{ message: warning }]), ...warnings],
  };
  return { status: joined ? 200 : 201, body };
}

interface NamedSource {
  readonly source: SourceDescriptor;
  /** As the command identifies it, so that both find the same upload. */
  readonly identity: string;
}

export async function sourceOf({ config }: Pick<Call, 'config'>, body: StartBody): Promise<NamedSource> {
  const { source: address, sourceSecret: secret, sha256: digest, copyFirst: spool } = body;
  const source = addressedSource(address, given({ secret }));
  if (source === undefined) return pathOf(config.worker, body);
  const { fileName, mimeType, bytes } = body;
  const known = source.kind === 'http' ? given({ fileName, mimeType, bytes, digest, spool }) : {};
  return { source: { ...source, ...known }, identity: address };
}

/** Its path or key is another one each time it is sent. */
function sentFile(source: KeptSource): NamedSource {
  return { source, identity: JSON.stringify([fileNameOfSource(source), source.digest]) };
}

async function pathOf(worker: Call['config']['worker'], body: StartBody): Promise<NamedSource> {
  const { source: path, sharedPath = false, sourceHost, minAgeSeconds } = body;
  if (!isAbsolute(path)) {
    throw new ValidationError(
      'source',
      'source must be an absolute path, an http(s) URL or s3://bucket/key.',
    );
  }
  const host = sharedPath ? undefined : (sourceHost ?? worker?.host);
  const source: SourceDescriptor = {
    ...{ kind: 'path', path },
    ...given({ host, minAgeMs: minAgeSeconds === undefined ? undefined : minAgeSeconds * 1_000 }),
  };
  // Its own worker decides about a path of another machine, and about one that every worker mounts.
  if (host === undefined || host !== worker?.host) return { source, identity: JSON.stringify([host, path]) };
  const facts = await stat(await allowedPath(worker, path));
  return { source, identity: pathIdentity(host, path, facts) };
}

function listed(call: Call, limit: number, ended?: Period): Promise<readonly Listing[]> {
  const { connection, queuePrefix, caller, query, signal } = call;
  const { status, name, from, to } = query as Readonly<Record<string, string | undefined>>;
  const wanted = UPLOAD_STATUSES.filter((known) => known === status);
  return listUploads(connection, {
    ...{ accountId: caller.accountId, queuePrefix, limit, signal, ended },
    ...(status === undefined ? {} : { status: wanted }),
    ...given({ name, from: momentOf('from', from), to: momentOf('to', to) }),
  });
}
