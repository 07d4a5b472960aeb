import { STRICTNESS, UNSHOWN } from './strict-shapes';

/**
 * If the interface does not define the form of something, the simulator has a default and offers other plausible forms
 * under these names. One shape of each group is used; the first of a group is the default.
 */
export interface Shape {
  readonly name: string;
  readonly description: string;
}

const PAGES: ReadonlyArray<readonly [name: string, description: string]> = [
  ['content', '{content: […], totalElements, totalPages, number, size, first, last, empty}'],
  ['array', 'a bare array; totals in X-Total-Elements, X-Total-Pages, X-Page, X-Size'],
  ['items', '{items: […], totalElements, totalPages, page, size}'],
  ['data', '{data: […], total, page, size}'],
  ['results', '{results: […], totalElements, totalPages, page, size}'],
  ['media', '{media: […], totalElements, totalPages, page, size}'],
  ['nested', '{data: {content: […], totalElements, totalPages, number, size}}'],
  ['page-object', '{content: […], page: {size, number, totalElements, totalPages}}'],
  ['no-totals', '{content: […]} and no totals anywhere'],
];

const pagesOf = (operation: string): Shape[] =>
  PAGES.map(([name, description]) => ({ name: `${operation}-${name}`, description }));

const SEARCH = [
  [...pagesOf('search')],
  [
    { name: 'search-base-0', description: 'search counts its pages from 0, as the interface says' },
    { name: 'search-base-1', description: 'search counts from 1; page 0 is answered like page 1' },
  ],
  [
    { name: 'search-size-refused', description: 'a search size above 1000 is answered 400' },
    { name: 'search-size-clamped', description: 'a search size above 1000 is answered with 1000 items' },
  ],
  [
    { name: 'tags-object', description: 'media show their tags as an object' },
    { name: 'tags-list', description: 'media show their tags as [{key, value}]' },
    { name: 'tags-hidden', description: 'media show no tags' },
  ],
  [
    { name: 'tag-values-single', description: 'a tag has one value' },
    { name: 'tag-values-list', description: 'a tag has a list of values, even of one' },
  ],
  [
    { name: 'sort-comma', description: 'sort=property,DESC,ignorecase' },
    { name: 'sort-space', description: 'sort=property DESC IgnoreCase' },
  ],
] as const;

const WEBHOOKS = [
  [
    { name: 'webhooks-array', description: 'JSON deliveries are a bare array; totals in the X- headers' },
    ...pagesOf('webhooks').filter(({ name }) => name !== 'webhooks-array'),
  ],
  [
    { name: 'webhooks-base-0', description: 'webhook search counts its pages from 0' },
    { name: 'webhooks-base-1', description: 'webhook search counts from 1; page 0 is answered like page 1' },
  ],
  [
    { name: 'webhooks-headers', description: 'X-Total-Elements, X-Total-Pages, X-Page, X-Size are sent' },
    { name: 'webhooks-no-headers', description: 'none of the X- headers is sent' },
  ],
  [
    { name: 'webhooks-range-optional', description: 'from and to may be left out' },
    { name: 'webhooks-range-required', description: 'without from and to: 400' },
  ],
  [
    { name: 'webhooks-to-inclusive', description: 'a delivery that was sent exactly at to is found' },
    { name: 'webhooks-to-exclusive', description: 'a delivery that was sent exactly at to is not found' },
  ],
  [
    { name: 'webhooks-oldest-first', description: 'the oldest delivery comes first' },
    { name: 'webhooks-newest-first', description: 'the newest delivery comes first' },
  ],
  [
    { name: 'csv-header-always', description: 'every CSV page begins with the header line' },
    { name: 'csv-header-first', description: 'only the first CSV page has the header line' },
    { name: 'csv-header-never', description: 'no CSV page has a header line' },
    { name: 'csv-header-changes', description: 'the header line of later CSV pages names other columns' },
  ],
  [
    { name: 'csv-quotes-doubled', description: 'quotes in a CSV cell are doubled' },
    { name: 'csv-quotes-stray', description: 'quotes in a CSV cell stay as they are, against RFC 4180' },
  ],
  [
    { name: 'csv-lf', description: 'CSV lines end in LF' },
    { name: 'csv-crlf', description: 'CSV lines end in CRLF' },
  ],
  [
    { name: 'csv-plain', description: 'CSV without byte order mark' },
    { name: 'csv-bom', description: 'every CSV page begins with a byte order mark' },
  ],
  [
    { name: 'csv-final-newline', description: 'the last CSV line ends in a line break' },
    { name: 'csv-no-final-newline', description: 'the last CSV line has no line break' },
  ],
] as const;

const UPLOADS = [
  [
    { name: 'urls-objects', description: 'presignedUrls: [{partNumber, presignedUrl}]' },
    { name: 'urls-no-numbers', description: 'presignedUrls: [{presignedUrl}]; the number is in the URL' },
    { name: 'urls-map', description: 'presignedUrls: {"1": "https://…"}' },
    { name: 'urls-strings', description: 'presignedUrls: ["https://…"] in order' },
    { name: 'urls-shuffled', description: 'presignedUrls: [{partNumber, presignedUrl}], last part first' },
    {
      name: 'urls-nested',
      description: 'data: {uploadId, mediaId, multipart: {parts: [{partNumber, presignedUrl}]}}',
    },
  ],
  [
    { name: 'session-flat', description: 'the session is the answer' },
    { name: 'session-wrapped', description: 'the session is under data' },
  ],
  [
    { name: 'status-upper', description: 'session status in upper case' },
    { name: 'status-lower', description: 'session status in lower case' },
  ],
  [
    { name: 'parts-shown', description: 'the session lists its parts as [{partNumber, eTag}]' },
    { name: 'parts-quoted', description: 'ETags of listed parts keep their quotes' },
    { name: 'parts-hidden', description: 'the session lists no parts' },
  ],
  [
    { name: 'file-url-plain', description: 'fileUrl has no query' },
    { name: 'file-url-signed', description: 'fileUrl is a signed address with a query' },
  ],
  [
    { name: 'file-url-at-once', description: 'the session has its fileUrl from the start' },
    { name: 'file-url-at-end', description: 'fileUrl is null until the session is COMPLETED' },
  ],
  [
    { name: 'metadata-beside-media', description: 'start takes metadata beside media' },
    { name: 'metadata-in-media', description: 'start takes metadata as a field of media' },
  ],
  [
    { name: 'complete-parts', description: 'complete takes {parts: [{partNumber, eTag}]}' },
    { name: 'complete-capitals', description: 'complete takes {parts: [{PartNumber, ETag}]}' },
    { name: 'complete-wrapped', description: 'complete takes {payload: {parts: [{partNumber, eTag}]}}' },
  ],
  [
    { name: 'complete-answers-session', description: '202 carries the session' },
    { name: 'complete-answers-empty', description: '202 has no body' },
  ],
  [
    { name: 'unknown-upload-400', description: 'an unknown uploadId is answered 400, as the interface says' },
    { name: 'unknown-upload-404', description: 'an unknown uploadId is answered 404' },
  ],
  [
    { name: 'urls-sign-host', description: 'pre-signed URLs sign the host only' },
    {
      name: 'urls-sign-content-type',
      description: 'pre-signed URLs sign the MIME type of the file too (built-in storage)',
    },
    { name: 'urls-google', description: 'the same, signed as Google does: X-Goog-… (built-in storage)' },
    { name: 'urls-sign-acl', description: 'pre-signed URLs sign an x-amz-acl too (built-in storage)' },
    {
      name: 'urls-fix-checksum',
      description: 'pre-signed URLs fix the CRC32 of an empty body (built-in storage)',
    },
  ],
] as const;

const ACCESS = [
  [
    { name: 'token-jwt', description: 'tokens are JWTs with exp' },
    { name: 'token-opaque', description: 'tokens are random text' },
  ],
  [
    { name: 'error-message', description: '{timestamp, status, error, message, path}' },
    {
      name: 'error-problem',
      description: 'application/problem+json: {type, title, status, detail, instance}',
    },
    { name: 'error-list', description: '{errors: [{code, message}]}' },
    { name: 'error-text', description: 'the message as plain text' },
    { name: 'error-empty', description: 'no body' },
  ],
] as const;

/** One array per group; its first shape is the default. */
export const SHAPE_GROUPS: readonly (readonly Shape[])[] = [
  ...SEARCH,
  ...WEBHOOKS,
  ...UPLOADS,
  ...ACCESS,
  ...STRICTNESS,
  ...UNSHOWN,
];

export const SHAPES: ReadonlyMap<string, Shape> = new Map(
  SHAPE_GROUPS.flat().map((shape) => [shape.name, shape]),
);

export class UnknownShape extends Error {}

/** The chosen shapes. */
export interface ShapeChoice {
  has(name: string): boolean;
  /** The chosen one of the given names, or an empty text if none of them is chosen. */
  among(names: readonly string[]): string;
}

/**
 * Chooses shapes by name. Other groups keep their default.
 * @throws UnknownShape for an unknown name, or for two names of one group.
 */
export function chooseShapes(names: readonly string[]): ShapeChoice {
  const inForce = new Set<string>();
  for (const name of names) {
    if (!SHAPES.has(name)) throw new UnknownShape(`There is no shape named "${name}".`);
  }
  for (const group of SHAPE_GROUPS) {
    const chosen = [...new Set(names)].filter((name) => group.some((shape) => shape.name === name));
    if (chosen.length > 1) throw new UnknownShape(`Shapes exclude each other: ${chosen.join(', ')}.`);
    const name = chosen[0] ?? group[0]?.name;
    if (name !== undefined) inForce.add(name);
  }
  return {
    has: (name) => inForce.has(name),
    among: (candidates) => candidates.find((name) => inForce.has(name)) ?? '',
  };
}
