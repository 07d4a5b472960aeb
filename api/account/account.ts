/**
 * An account of the Media Service: the addresses, the sub-account, and (in memory only) its secrets.
 * api.md, "Authentication" and "Endpoints".
 */

/** Names an account without its secrets: this is what a workflow's input carries. */
export interface AccountName {
  /** Address of search, login and webhook search; no trailing slash. */
  readonly baseUrl: string;
  /** Address of the upload operations; no trailing slash. Release candidate and production are two accounts. */
  readonly uploadUrl: string;
  /** Id of the sub-account on whose behalf requests are made. */
  readonly externalId: string;
}

export interface Account extends AccountName {
  readonly apiKey: string;
  readonly secretKey: string;
}

/** What the interface leaves open and a deployment can set; each can be left unset. */
export interface ServiceOptions {
  /** Tag that carries the ingest key of an upload, so that a lost `start` can be found; `false` switches it off. Default `ingestKey`. */
  readonly ingestTag?: string | false;
  /** How to ask for additional pre-signed URLs, see `api/upload/session/additional-urls`. Unset: they cannot be asked for. */
  readonly additionalUrls?: string;
  /** Template of the body of `complete`; `{parts}` stands for the parts array. Default `{"parts":{parts}}`. */
  readonly completeBody?: string;
  /** Most parts that `start` may ask for. Default 120 ("may be reduced in future updates"). */
  readonly maxParts?: number;
  /** Content-Type of every part PUT. Unset: the file's MIME type where the URL's signature covers the header, else application/octet-stream. */
  readonly partContentType?: string;
  /** Separator inside a `sort` parameter. Default `,`. */
  readonly sortSeparator?: string;
  /** Allow plain http to hosts other than loopback. Default false. */
  readonly allowPlainHttp?: boolean;
}

/** How much an account may be used, over all workers. Each can be left unset: no limit. */
export interface AccountLimits {
  /** Steps that call the service, begun per second. */
  readonly callsPerSecond?: number;
  /** Parts begun per second, for each of the account's transfer queues. */
  readonly partsPerSecond?: number;
  /** Parts of one batch begun per second, for each transfer queue. */
  readonly batchPartsPerSecond?: number;
}
