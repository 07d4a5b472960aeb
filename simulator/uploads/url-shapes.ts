import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { Json, JsonRecord } from '../json';
import type { ShapeChoice } from '../shapes/shapes';

export interface IssuedUrl {
  readonly partNumber: number;
  readonly presignedUrl: string;
}

/** The fields of the session next to the URLs. */
interface SessionShown {
  readonly ids: JsonRecord;
  /** URL for reading the session. */
  readonly link: string;
}

type UrlShape = (urls: readonly IssuedUrl[], ids: JsonRecord, link: string) => JsonRecord;

const objects = (urls: readonly IssuedUrl[]): Json[] => urls.map((url) => ({ ...url }));
const strings = (urls: readonly IssuedUrl[]): Json[] => urls.map(({ presignedUrl }) => presignedUrl);

const URL_SHAPES: Readonly<Record<string, UrlShape>> = {
  'urls-objects': (urls, ids) => ({ ...ids, presignedUrls: objects(urls) }),
  'urls-no-numbers': (urls, ids) => ({
    ...ids,
    presignedUrls: urls.map(({ presignedUrl }) => ({ presignedUrl })),
  }),
  'urls-map': (urls, ids) => ({
    ...ids,
    presignedUrls: Object.fromEntries(
      urls.map(({ partNumber, presignedUrl }) => [String(partNumber), presignedUrl]),
    ),
  }),
  'urls-strings': (urls, ids) => ({ ...ids, presignedUrls: strings(urls) }),
  'urls-shuffled': (urls, ids) => ({ ...ids, presignedUrls: objects([...urls].reverse()) }),
  'urls-nested': (urls, ids) => {
    const parts = urls.map(({ partNumber, presignedUrl }) => ({ number: partNumber, presignedUrl }));
    return { data: { ...ids, multipart: { parts } } };
  },
  'urls-other-names': (urls, ids) => ({
    ...ids,
    uploadUrls: urls.map(({ partNumber, presignedUrl }) => ({ part_number: partNumber, url: presignedUrl })),
  }),
  'urls-flat': (urls, ids) => ({ ...ids, presignedUrl: strings(urls) }),
  'urls-session-upload-url': (urls, ids, link) => ({ ...ids, uploadUrl: link, presignedUrls: objects(urls) }),
  'urls-session-url': (urls, ids, link) => ({ ...ids, url: link, presignedUrls: objects(urls) }),
  'urls-session-links': (urls, ids, link) => ({
    _links: { self: { href: link } },
    ...ids,
    presignedUrls: objects(urls),
  }),
};

/** Pre-signed URLs and the fields of their session, in the chosen shape ("Names of response fields …: not shown"). */
export function shownUrls(
  urls: readonly IssuedUrl[],
  { ids, link }: SessionShown,
  shapes: ShapeChoice,
): JsonRecord {
  const shape = URL_SHAPES[shapes.among(Object.keys(URL_SHAPES))];
  return shape === undefined ? {} : shape(urls, ids, link);
}

/** URL of a session on the server that received the request. */
export function sessionLink({ headers, socket }: IncomingMessage, uploadId: string): string {
  const scheme = socket instanceof TLSSocket ? 'https' : 'http';
  return `${scheme}://${headers.host ?? 'localhost'}/upload/${uploadId}`;
}
