import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { ValidationError } from '../api/errors';
import { given } from '../api/json';
import { START_OPTIONS } from '../api/options/upload-options';
import { defaultIngestKey, pathIdentity } from '../api/upload/protocol/ingest-key';
import { fileNameOfSource } from '../api/upload/sources/source-rules';
import { addressedSource } from '../api/upload/validate';
import type { SourceDescriptor } from '../api/upload/sources/source';
import { allowedPath } from '../files/allowed-path';
import { pathFingerprint } from '../files/sources/path-change';
import { uploadNeed } from '../temporal/client/living-workers';
import { listUploads } from '../temporal/upload/client/list-uploads';
import { retryUpload } from '../temporal/upload/client/retry-upload';
import { startUpload } from '../temporal/upload/client/start-upload';
import { existingRoutes, momentOf, startedAnswer, NOUNS } from './existing';
import { keptSource } from './files';
import type { Read } from './schemas';
import { flag, MEDIA_SCHEMA, optionFields, request, text, UPLOAD_OPTIONS_SCHEMA, whole } from './schemas';
import type { Answer, Call, Route } from './route';
import { POST_URL, requirePostUrl, waitForStarted } from './waits';

const START = request(
  {
    source: text('An absolute path, an http(s) URL, s3://bucket/key, or what POST /v1/files answered', {
      ...{ minLength: 1, maxLength: 8_192 },
    }),
    sourceHost: text("The machine that has the path; otherwise the gateway's own, if it runs with a worker"),
    minAgeSeconds: whole('The upload waits until nothing was written to the path for so long', 0, 86_400),
    ...optionFields(START_OPTIONS),
    mimeType: text('Type of the file behind such a URL', { maxLength: 200 }),
    bytes: whole('Size of the file behind such a URL', 0, Number.MAX_SAFE_INTEGER),
    sha256: text('SHA-256 of the file behind a URL, so that a later start with another file is refused', {
      pattern: '^[0-9a-f]{64}$',
    }),
    copyFirst: flag('The server of the URL sends no ranges: the worker copies the file first'),
    ingestKey: text(START_OPTIONS.ingestKey.description, { minLength: 1, maxLength: 500 }),
    media: MEDIA_SCHEMA,
    options: UPLOAD_OPTIONS_SCHEMA,
    url: POST_URL,
  },
  ['source'],
);
type StartBody = Read<typeof START>;

const STARTS = 'The upload starts';

export const UPLOAD_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: NOUNS.upload.path,
    operationId: 'startUpload',
    summary: 'Start an upload, or join the one with the same key',
    right: 'start',
    body: START,
    answer: 'Started',
    // The schema has checked the form.
    handle: (call) => start(call, call.body as StartBody),
  },
  ...existingRoutes('upload', {
    query: {
      from: text('Only uploads that started at this time or later, as 2026-11-01 or -24h', { maxLength: 50 }),
      to: text('Only uploads that started before this time', { maxLength: 50 }),
    },
    list({ connection, query }, choice) {
      const [from, to] = (['from', 'to'] as const).map((field) => momentOf(field, query[field]));
      return listUploads(connection, { ...choice, ...given({ from, to }) });
    },
    async retry(call, id) {
      const { handle, need } = await retryUpload(call.connection, id);
      return startedAnswer(call, { handle, need, starts: STARTS });
    },
  }),
];

async function start(call: Call, body: StartBody): Promise<Answer> {
  const { queuePrefix, caller } = call;
  const { account, accountId, options: serviceOptions = {} } = caller;
  if (body.url !== undefined) requirePostUrl(call, body.url);
  const kept = keptSource(body.source, caller);
  // The path or key of a file is another one each time it is sent.
  const { source, identity, content }: NamedSource =
    kept === undefined
      ? await sourceOf(call, body)
      : { source: kept, identity: JSON.stringify([fileNameOfSource(kept), kept.digest]) };
  const { media = {}, metadata, options = {}, again } = body;
  const ingestKey = body.ingestKey ?? defaultIngestKey({ accountId, identity, title: media.title });
  const { maxParts } = serviceOptions;
  const upload = { source, media, ingestKey, options: { ...options, ...given({ maxParts }) } };
  const handle = await startUpload(call.connection, {
    account,
    request: { ...upload, ...given({ metadata }) },
    queuePrefix,
    serviceOptions,
    ...given({ again, identity: content }),
  });
  if (body.url !== undefined) await waitForStarted(call, body.url, handle.workflowId);
  const need = uploadNeed({ queuePrefix, accountId, source });
  return startedAnswer(call, { handle, need, starts: STARTS });
}

interface NamedSource {
  readonly source: SourceDescriptor;
  /** As the command identifies it, so that both find the same upload. */
  readonly identity: string;
  /** Identity of its content, if it is a file of this machine. */
  readonly content?: string;
}

export async function sourceOf({ config }: Pick<Call, 'config'>, body: StartBody): Promise<NamedSource> {
  const { source: address, sourceSecret: secret, sha256: digest, copyFirst: spool } = body;
  const source = addressedSource(address, given({ secret }));
  if (source === undefined) return pathOf(config.worker, body);
  const { fileName, mimeType, bytes } = body;
  const known = source.kind === 'http' ? given({ fileName, mimeType, bytes, digest, spool }) : {};
  return { source: { ...source, ...known }, identity: address };
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
  const facts = await stat(await allowedPath(worker.roots, path), { bigint: true });
  return { source, identity: pathIdentity(host, path, facts), content: pathFingerprint(facts, false) };
}
