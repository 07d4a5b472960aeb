import type { Json, JsonRecord } from '../json';
import type { ShapeChoice } from '../shapes/shapes';

export interface IssuedUrl {
  readonly partNumber: number;
  readonly presignedUrl: string;
}

type UrlShape = (urls: readonly IssuedUrl[], ids: JsonRecord) => JsonRecord;

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
    return { data: { ...ids, multipart: { parts: objects(urls) } } };
  },
};

/** Pre-signed URLs and the fields of their session, in the chosen shape ("Names of response fields …: not shown"). */
export function shownUrls(urls: readonly IssuedUrl[], ids: JsonRecord, shapes: ShapeChoice): JsonRecord {
  const shape = URL_SHAPES[shapes.among(Object.keys(URL_SHAPES))];
  return shape === undefined ? {} : shape(urls, ids);
}
