/**
 * Operations of the interface to which a fault can apply. `put` is a part's PUT to storage, `processing` follows
 * `complete`.
 */
export const SERVICE_OPERATIONS = [
  'login',
  'search',
  'webhooks',
  'start',
  'session',
  'urls',
  'complete',
] as const;
export type ServiceOperation = (typeof SERVICE_OPERATIONS)[number];
export type FaultOperation = ServiceOperation | 'put' | 'processing';

export type Effect =
  /** An error answer: in the service's error shape, or for `put` as S3 XML with `code`. */
  | {
      readonly does: 'refuse';
      readonly status: number;
      readonly code?: string;
      readonly message: string;
      /** For `put`: storage's clock, its Date, is at the URL's end. */
      readonly atEnd?: true;
      /** For `put`: closes the connection after the answer, and reads nothing of the body. */
      readonly closes?: true;
    }
  | { readonly does: 'text'; readonly status: number; readonly contentType: string; readonly text: string }
  | { readonly does: 'redirect' }
  /** Destroys the connection without an answer. */
  | { readonly does: 'cut' }
  /** Destroys the connection after the headers and half of the answer. */
  | { readonly does: 'cut-half' }
  /** Never answers, and keeps the connection open. */
  | { readonly does: 'silence' }
  | { readonly does: 'endless' }
  | { readonly does: 'revoke-token' }
  | { readonly does: 'skew-clock' }
  | { readonly does: 'hide-new-media' }
  /** A failed delivery of the page is delivered again once the page is answered. */
  | { readonly does: 'redeliver' }
  | { readonly does: 'odd-status' }
  | { readonly does: 'reset' | 'stall' | 'trickle' | 'line' | 'hold' }
  | { readonly does: 'etag'; readonly kind: 'wrong' | 'kms' }
  | { readonly does: 'fail' | 'stick' | 'delay' };

export interface FaultDefinition {
  readonly name: string;
  readonly description: string;
  /** `any`: every service operation except login, unless `operation=…` names one. */
  readonly at: FaultOperation | 'any';
  /**
   * `instead`: replaces the request. `after`: the request is executed, and the fault changes only its answer.
   * `inside`: changes how the request is executed.
   */
  readonly when: 'instead' | 'inside' | 'after';
  readonly effect: Effect;
}

export type FaultRow = readonly [
  at: FaultDefinition['at'],
  name: string,
  when: FaultDefinition['when'],
  effect: Effect,
  description: string,
];
