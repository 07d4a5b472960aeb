import { randomUUID } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { Account, ServiceOptions } from '../api/account';
import { systemClock } from '../api/clock';
import { createService } from '../api/service/create-service';
import type { JsonObject } from '../api/json';
import { md5Engine } from '../api/md5/md5-engine';
import type { MediaFilter } from '../api/media/media-filter';
import { eachMedia, searchMedia } from '../api/media/media-search';
import type { EachMediaRequest, PageRequest } from '../api/media/media-search';
import type { AllPagesRequest, OnePageRequest } from '../api/pages/each-page';
import type { Page } from '../api/pages/search-answer-shapes';
import { retryingService } from '../api/service/service';
import type { RetryingService, Service } from '../api/service/service';
import type { Transport } from '../api/transport/transport';
import { createUndiciTransport } from '../api/transport/undici-transport';
import type { UndiciTransportOptions } from '../api/transport/undici-transport';
import { sourcesOf } from '../files/sources/read-source';
import { createDirectSteps, directControl } from '../api/upload/engine/direct-steps';
import { runUpload } from '../api/upload/engine/run-upload';
import { idsOfKey } from '../api/upload/protocol/ingest-key';
import type { UploadSession } from '../api/upload/protocol/session';
import { readSession } from '../api/upload/protocol/session';
import { labelOf } from '../api/upload/sources/source';
import type { SourceDescriptor } from '../api/upload/sources/source';
import type { UploadProgress, UploadRequest, UploadResult } from '../api/upload/types';
import type { UploadOptions } from '../api/options/upload-options';
import { exportDeliveries } from '../api/webhooks/delivery-export';
import type { ExportRequest } from '../api/webhooks/delivery-export';
import type { DeliveryQuery } from '../api/webhooks/delivery-query';
import { eachDelivery, searchDeliveries } from '../api/webhooks/delivery-search';

export interface ClientOptions extends ServiceOptions {
  /** Proxy, certificates and limits of the client's own transport. */
  readonly connection?: UndiciTransportOptions;
  /** Replaces the client's own transport; `close()` leaves it open. */
  readonly transport?: Transport;
}

export interface UploadDetails {
  /** An unset `fileType` is guessed from the file's name. */
  readonly media?: UploadRequest['media'];
  readonly metadata?: JsonObject;
  /**
   * Finds the media again if the answer of `start` is lost. Default: a random key. A key of your own costs one search,
   * so that earlier media under it are not taken for lost ones.
   */
  readonly ingestKey?: string;
  readonly options?: UploadOptions;
  readonly signal?: AbortSignal;
  onProgress?(progress: UploadProgress): void;
}

/** Everything that the interface offers, bound to one account. */
export interface Client {
  /** For the functions of this package that need a service. */
  readonly service: Service;
  /** Logs in now, to check that the account works. Every other call logs in by itself. */
  login(signal?: AbortSignal): Promise<void>;
  readonly media: {
    search(filter?: MediaFilter, request?: PageRequest): Promise<Page>;
    each(filter?: MediaFilter, request?: EachMediaRequest): AsyncGenerator<JsonObject>;
  };
  readonly webhooks: {
    search(query: DeliveryQuery, request?: OnePageRequest): Promise<Page>;
    each(query: DeliveryQuery, request?: AllPagesRequest): AsyncGenerator<JsonObject>;
    export(query: DeliveryQuery, request: ExportRequest): AsyncGenerator<string>;
  };
  readonly upload: {
    /**
     * Uploads a file from this machine and waits until it is COMPLETED. The upload ends with this process; use the
     * worker for one that survives.
     */
    file(file: string, details?: UploadDetails): Promise<UploadResult>;
    /** Uploads from a URL that supports Range. `allowHost` names its host if that host is private. */
    url(url: string, details?: UploadDetails & { readonly allowHost?: string }): Promise<UploadResult>;
    /** Reads the state of an upload session. */
    session(uploadId: string, signal?: AbortSignal): Promise<UploadSession>;
  };
  /** Closes the connections of the client's own transport. */
  close(): Promise<void>;
}

/**
 * Creates a client for one account. It checks the account (throws `ConfigurationError`) and sends nothing yet. It needs
 * neither n8n nor Temporal; it needs undici unless a transport is given.
 */
export function createClient(account: Account, options: ClientOptions = {}): Client {
  const { connection, transport, ...serviceOptions } = options;
  const own = createUndiciTransport(connection);
  const service = retryingService(
    createService({ account, transport: transport ?? own, options: serviceOptions, clock: systemClock }),
  );
  return {
    service,
    login: async (signal) => {
      await service.tokens.login(signal);
    },
    media: {
      search: (filter = {}, request) => searchMedia(service, filter, request),
      each: (filter = {}, request) => eachMedia(service, filter, request),
    },
    webhooks: {
      search: (query, request) => searchDeliveries(service, query, request),
      each: (query, request) => eachDelivery(service, query, request),
      export: (query, request) => exportDeliveries(service, query, request),
    },
    upload: {
      file: (file, details) => uploadFile(service, file, details),
      url: (url, details) => uploadUrl(service, url, details),
      session: (uploadId, signal) => readSession(service, uploadId, signal),
    },
    close: () => own.close(),
  };
}

/** The caller names the file, so a link may lead anywhere. The file keeps the name of the link. */
async function uploadFile(
  service: RetryingService,
  file: string,
  details: UploadDetails = {},
): Promise<UploadResult> {
  const absolute = path.resolve(file);
  // If it can't be followed, pinning says why.
  const real = await realpath(absolute).catch(() => absolute);
  const access = { roots: [path.dirname(real)], sourceHosts: [] };
  const source = { kind: 'path', path: real, fileName: path.basename(absolute) } as const;
  return upload({ service, source, details, access });
}

function uploadUrl(
  service: RetryingService,
  url: string,
  details: UploadDetails & { readonly allowHost?: string } = {},
): Promise<UploadResult> {
  const access = { roots: [], sourceHosts: details.allowHost === undefined ? [] : [details.allowHost] };
  return upload({ service, source: { kind: 'http', url, label: labelOf(url) }, details, access });
}

interface Upload {
  readonly service: RetryingService;
  readonly source: SourceDescriptor;
  readonly details: UploadDetails;
  readonly access: { readonly roots: readonly string[]; readonly sourceHosts: readonly string[] };
}

async function upload({ service, source, details, access }: Upload): Promise<UploadResult> {
  const { media = {}, metadata, ingestKey, options, signal } = details;
  const request: UploadRequest = {
    source,
    media,
    ...(ingestKey === undefined
      ? { ingestKey: randomUUID() }
      : { ingestKey, knownMedia: await idsOfKey(service, ingestKey, signal) }),
    options: { maxParts: service.options.maxParts, ...options },
    ...(metadata === undefined ? {} : { metadata }),
  };
  const hooks = {
    onProgress: (progress: UploadProgress): void => details.onProgress?.(progress),
    hash: md5Engine.open,
    ...(signal === undefined ? {} : { signal }),
  };
  const steps = createDirectSteps(
    service.once,
    sourcesOf({ ...access, transport: service.transport, unseal: String }),
    hooks,
  );
  return runUpload(request, steps, directControl(service, steps, hooks));
}
