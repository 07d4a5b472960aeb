import type { JsonObject, JsonValue } from '../json';

/** One page of a search. A field that the answer does not contain is unset. */
export interface Page {
  readonly items: JsonObject[];
  /** The page's number in the service's own count. */
  readonly page?: number;
  readonly size?: number;
  readonly totalElements?: number;
  readonly totalPages?: number;
  /** The whole answer, so that no unknown field is lost. */
  readonly raw?: JsonValue;
}

export type PageTotals = Pick<Page, 'page' | 'size' | 'totalElements' | 'totalPages'>;
