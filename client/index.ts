/** The client of the Media Service as a library: `media-service/api`. Guide: docs/guide-api.md. */
export type { Account, AccountName, ServiceOptions } from '../api/account';
export { accountId } from '../api/account';
export type { Clock } from '../api/clock';
export { createClient } from './create-client';
export type { Client, ClientOptions, UploadDetails } from './create-client';
export { createService } from '../api/service/create-service';
export { ConfigurationError, MediaServiceError, TransportError, ValidationError } from '../api/errors';
export type { ErrorCode, ErrorFacts, Outcome } from '../api/errors';
export type { JsonObject, JsonValue } from '../api/json';
export type { MediaFilter, MediaType } from '../api/media/media-filter';
export type { EachMediaRequest, PageRequest } from '../api/media/media-search';
export type { SortRule } from '../api/media/media-filter';
export type { Page } from '../api/pages/each-page';
export type { Advice, Remedy, RemedyKind } from '../api/advice';
export type { Remedies } from '../api/remedies';
export { whatToDoAbout } from '../api/typescript-words';
export { isRetryable } from '../api/retry';
export type { ServiceAnswer } from '../api/answers/read-answer';
export type { Service, ServiceCall } from '../api/service/service';
export { loginBody, signLoginBody } from '../api/login/login';
export type { TokenSource } from '../api/login/token-source';
export type { HttpAnswer, HttpRequest, RequestStream, Timeouts, Transport } from '../api/transport/transport';
export { createUndiciTransport } from '../api/transport/undici-transport';
export type { UndiciTransport, UndiciTransportOptions } from '../api/transport/undici-transport';
export type { MediaFields } from '../api/upload/request/upload-request';
export type { UploadSession } from '../api/upload/session/session';
export type {
  UploadOptions,
  UploadProgress,
  UploadRequest,
  UploadResult,
} from '../api/upload/request/upload-request';
export type { ExportedPage, ExportRequest } from '../api/webhooks/delivery-export';
export type { DeliveryQuery, DeliveryStatus } from '../api/webhooks/delivery-query';
export type { DeliveryPageRequest, EachDeliveryRequest } from '../api/webhooks/delivery-search';
export { parseWhen } from '../api/when';
