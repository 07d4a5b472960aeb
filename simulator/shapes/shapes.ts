/**
 * If the interface does not define the form of something, the simulator has a default and offers other plausible forms
 * under these names. One shape of each group is used; the first of a group is the default.
 */
export interface Shape {
  readonly name: string;
  readonly description: string;
}

const PAGES: Readonly<Record<string, string>> = {
  content: '{content: […], totalElements, totalPages, number, size, first, last, empty}',
  array: 'a bare array; totals in X-Total-Elements, X-Total-Pages, X-Page, X-Size',
  items: '{items: […], totalElements, totalPages, page, size}',
  data: '{data: […], total, page, size}',
  results: '{results: […], totalElements, totalPages, page, size}',
  media: '{media: […], totalElements, totalPages, page, size}',
  nested: '{data: {content: […], totalElements, totalPages, number, size}}',
  'page-object': '{content: […], page: {size, number, totalElements, totalPages}}',
  'no-totals': '{content: […]} and no totals anywhere',
};

const pagesOf = (operation: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(PAGES).map(([name, description]) => [`${operation}-${name}`, description]),
  );

/** Groups of shapes, which exclude each other: the description of each by its name. */
type Groups = readonly Readonly<Record<string, string>>[];

const SEARCHES: Groups = [
  pagesOf('search'),
  {
    'search-base-0': 'search counts its pages from 0, as the interface says',
    'search-base-1': 'search counts from 1; page 0 is answered like page 1',
  },
  {
    'tags-object': 'media show their tags as an object',
    'tags-list': 'media show their tags as [{key, value}]',
    'tags-hidden': 'media show no tags',
  },
  {
    'tag-values-single': 'a tag has one value',
    'tag-values-list': 'a tag has a list of values, even of one',
  },
  {
    'sort-comma': 'sort=property,DESC,ignorecase',
    'sort-space': 'sort=property DESC IgnoreCase',
  },
  { 'webhooks-array': '', ...pagesOf('webhooks') },
  {
    'webhooks-base-0': 'webhook search counts its pages from 0',
    'webhooks-base-1': 'webhook search counts from 1; page 0 is answered like page 1',
  },
  {
    'webhooks-headers': 'X-Total-Elements, X-Total-Pages, X-Page, X-Size are sent',
    'webhooks-no-headers': 'none of the X- headers is sent',
  },
  {
    'webhooks-to-inclusive': 'a delivery that was sent exactly at to is found',
    'webhooks-to-exclusive': 'a delivery that was sent exactly at to is not found',
  },
  {
    'webhooks-oldest-first': 'the oldest delivery comes first',
    'webhooks-newest-first': 'the newest delivery comes first',
  },
  {
    'csv-header-always': 'every CSV page begins with the header line',
    'csv-header-first': 'only the first CSV page has the header line',
    'csv-header-never': 'no CSV page has a header line',
    'csv-header-changes': 'the header line of later CSV pages names other columns',
  },
  {
    'csv-quotes-doubled': 'quotes in a CSV cell are doubled',
    'csv-quotes-stray': 'quotes in a CSV cell stay as they are, against RFC 4180',
  },
  {
    'csv-lf': 'CSV lines end in LF',
    'csv-crlf': 'CSV lines end in CRLF',
  },
  {
    'csv-plain': 'CSV without byte order mark',
    'csv-bom': 'every CSV page begins with a byte order mark',
  },
  {
    'csv-final-newline': 'the last CSV line ends in a line break',
    'csv-no-final-newline': 'the last CSV line has no line break',
  },
];

const UPLOADS: Groups = [
  {
    'urls-objects': 'presignedUrls: [{partNumber, presignedUrl}]',
    'urls-no-numbers': 'presignedUrls: [{presignedUrl}]; the number is in the URL',
    'urls-map': 'presignedUrls: {"1": "https://…"}',
    'urls-strings': 'presignedUrls: ["https://…"] in order',
    'urls-shuffled': 'presignedUrls: [{partNumber, presignedUrl}], last part first',
    'urls-nested': 'data: {uploadId, mediaId, multipart: {parts: [{partNumber, presignedUrl}]}}',
  },
  {
    'session-flat': 'the session is the answer',
    'session-wrapped': 'the session is under data',
  },
  {
    'status-upper': 'session status in upper case',
    'status-lower': 'session status in lower case',
  },
  {
    'parts-shown': 'the session lists its parts as [{partNumber, eTag}]',
    'parts-quoted': 'ETags of listed parts keep their quotes',
    'parts-hidden': 'the session lists no parts',
  },
  {
    'file-url-plain': 'fileUrl has no query',
    'file-url-signed': 'fileUrl is a signed address with a query',
  },
  {
    'file-url-at-once': 'the session has its fileUrl from the start',
    'file-url-at-end': 'fileUrl is null until the session is COMPLETED',
  },
  {
    'metadata-beside-media': 'start takes metadata beside media',
    'metadata-in-media': 'start takes metadata as a field of media',
  },
  {
    'complete-parts': 'complete takes {parts: [{partNumber, eTag}]}',
    'complete-capitals': 'complete takes {parts: [{PartNumber, ETag}]}',
    'complete-wrapped': 'complete takes {payload: {parts: [{partNumber, eTag}]}}',
  },
  {
    'complete-declared': 'complete takes as many parts as start declared',
    'complete-sent': 'complete takes the parts that were sent, even fewer than start declared',
  },
  {
    'parts-from-5-mib': 'a part that is not the last has at least 5,242,880 bytes',
    'parts-from-5-mb': 'a part that is not the last has at least 5,000,000 bytes (built-in storage)',
  },
  {
    'complete-answers-session': '202 carries the session',
    'complete-answers-empty': '202 has no body',
  },
  {
    'unknown-upload-400': 'an unknown uploadId is answered 400, as the interface says',
    'unknown-upload-404': 'an unknown uploadId is answered 404',
  },
  {
    'urls-sign-host': 'pre-signed URLs sign the host only',
    'urls-sign-content-type': 'pre-signed URLs sign the MIME type of the file too (built-in storage)',
    'urls-sign-acl': 'pre-signed URLs sign an x-amz-acl too (built-in storage)',
    'urls-fix-checksum': 'pre-signed URLs fix the CRC32 of an empty body (built-in storage)',
  },
];

/** Names and forms that the interface does not define. */
const UNSHOWN: Groups = [
  {
    'error-message': '{timestamp, status, error, message, path}',
    'error-problem': 'application/problem+json: {type, title, status, detail, instance}',
    'error-list': '{errors: [{code, message}]}',
    'error-text': 'the message as plain text',
    'error-empty': 'no body',
  },
  {
    'part-type-required': 'a part without Content-Type is refused (400)',
    'part-type-optional': 'a part may come without Content-Type',
  },
  {
    'media-fields-camel': 'media have id, title, fileType, createdAt …',
    'media-fields-snake': 'media have media_id, title, file_type, created_at …',
    'media-fields-other': 'media have mediaId, name, extension, createdDate …',
  },
  {
    'times-iso': 'deliveries carry times such as 2026-11-01T07:00:00.000Z',
    'times-offset': 'deliveries carry times such as 2026-11-01T08:00:00+01:00',
    'times-no-zone': 'deliveries carry times in UTC without a zone',
    'times-epoch-ms': 'deliveries carry times as milliseconds since 1970',
    'times-epoch-s': 'deliveries carry times as seconds since 1970',
  },
  {
    'delivery-ids-text': 'deliveries carry their ids as text',
    'delivery-ids-64-bit': 'deliveries carry ids of 64 bits as JSON numbers',
  },
];

/** One array per group; its first shape is the default. */
export const SHAPE_GROUPS: readonly (readonly Shape[])[] = [...SEARCHES, ...UPLOADS, ...UNSHOWN].map(
  (group) => Object.entries(group).map(([name, description]) => ({ name, description })),
);

export const SHAPES: ReadonlyMap<string, Shape> = new Map(
  SHAPE_GROUPS.flat().map((shape) => [shape.name, shape]),
);

/** The names of the chosen shapes, one of each group. */
export type ShapeChoice = ReadonlySet<string>;

/** What the table has for a chosen shape, or undefined. */
export function chosenOf<T>(table: Readonly<Record<string, T>>, shapes: ShapeChoice): T | undefined {
  return Object.entries(table).find(([name]) => shapes.has(name))?.[1];
}

/**
 * Chooses shapes by name. Other groups keep their default.
 * @throws RangeError for an unknown name, or for two names of one group.
 */
export function chooseShapes(names: readonly string[]): ShapeChoice {
  const unknown = names.find((name) => !SHAPES.has(name));
  if (unknown !== undefined) throw new RangeError(`There is no shape named "${unknown}".`);
  const choice = SHAPE_GROUPS.map((group) => {
    const chosen = [...new Set(names)].filter((name) => group.some((shape) => shape.name === name));
    if (chosen.length > 1) throw new RangeError(`Shapes exclude each other: ${chosen.join(', ')}.`);
    return chosen[0] ?? group[0]?.name ?? '';
  });
  return new Set(choice);
}
