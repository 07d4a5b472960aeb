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

/** What a fault does that needs no more words. After `cut` and `silence`, the client has no answer. */
type Word =
  | ('redirect' | 'cut' | 'cut-half' | 'silence' | 'endless' | 'revoke-token' | 'skew-clock')
  | ('hide-new-media' | 'redeliver' | 'odd-status' | 'fail' | 'stick' | 'delay')
  | ('reset' | 'stall' | 'trickle' | 'line' | 'hold' | 'etag-wrong' | 'etag-kms');

export type Effect =
  /** An error answer: in the service's error shape, or for `put` as S3 XML with `code`. */
  | {
      readonly does: 'refuse';
      readonly status: number;
      readonly code?: string;
      readonly message: string;
      /** For `put`: storage's clock, its Date, is 2 s before the URL's begin, or at its end. */
      readonly clock?: 'early' | 'ended';
      /** For `put`: closes the connection after the answer, and reads nothing of the body. */
      readonly closes?: true;
    }
  | { readonly does: 'text'; readonly status: number; readonly contentType: string; readonly text: string }
  | { readonly does: Word };

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

/** A fault of one operation. */
export type RowOfOne = FaultRow extends readonly [unknown, ...infer Rest] ? readonly [...Rest] : never;

export type FaultRow = readonly [
  at: FaultDefinition['at'],
  name: string,
  when: FaultDefinition['when'],
  effect: Word | Exclude<Effect, { readonly does: Word }>,
  description: string,
];
