/** The client of the Media Service as a library: `n8n-nodes-media-service/api`. Guide: docs/guide-api.md. */
export type { Account, AccountName, ServiceOptions } from './account';
export { accountId } from './account';
export type { Clock } from './clock';
export { createClient } from './create-client';
export type { Client, ClientOptions, UploadDetails } from './create-client';
export { createService } from './service/create-service';
export { ConfigurationError, MediaServiceError, TransportError, ValidationError } from './errors';
export type { ErrorCode, ErrorFacts, Outcome } from './errors';
export type { JsonObject, JsonValue } from './json';
export type { MediaFilter, MediaType } from './media/media-filter';
export type { EachMediaRequest, PageRequest } from './media/media-search';
export type { SortRule } from './media/media-filter';
export type { Page } from './pages/each-page';
export type { Advice, Remedy, RemedyKind } from './advice';
export type { Remedies } from './remedies';
export { whatToDoAbout } from './typescript-words';
export { isRetryable } from './retry';
export type { ServiceAnswer } from './answers/read-answer';
export type { Service, ServiceCall } from './service/service';
export { loginBody, signLoginBody } from './login/login';
export type { TokenSource } from './login/token-source';
export type { HttpAnswer, HttpRequest, RequestStream, Timeouts, Transport } from './transport/transport';
export { createUndiciTransport } from './transport/undici-transport';
export type { UndiciTransport, UndiciTransportOptions } from './transport/undici-transport';
export type { MediaFields } from './upload/request/upload-request';
export type { UploadSession } from './upload/session/session';
export type {
  UploadOptions,
  UploadProgress,
  UploadRequest,
  UploadResult,
} from './upload/request/upload-request';
export type { ExportedPage, ExportRequest } from './webhooks/delivery-export';
export type { DeliveryQuery, DeliveryStatus } from './webhooks/delivery-query';
export type { DeliveryPageRequest, EachDeliveryRequest } from './webhooks/delivery-search';
export { parseWhen } from './when';
