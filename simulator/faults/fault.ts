/** Operations of the interface that a fault can befall; `put` is a part's PUT to storage, `processing` what follows `complete`. */
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
  | { readonly does: 'refuse'; readonly status: number; readonly code?: string; readonly message: string }
  | { readonly does: 'text'; readonly status: number; readonly contentType: string; readonly text: string }
  | { readonly does: 'redirect' }
  /** The connection is destroyed without an answer. */
  | { readonly does: 'cut' }
  /** The connection is destroyed after the headers and half of the answer. */
  | { readonly does: 'cut-half' }
  /** No answer, ever; the connection stays open. */
  | { readonly does: 'silence' }
  | { readonly does: 'endless' }
  | { readonly does: 'revoke-token' }
  | { readonly does: 'skew-clock' }
  | { readonly does: 'hide-new-media' }
  | { readonly does: 'odd-status' }
  | { readonly does: 'reset' | 'stall' | 'trickle' | 'hold' }
  | { readonly does: 'etag'; readonly kind: 'wrong' | 'kms' }
  | { readonly does: 'fail' | 'stick' | 'delay' };

export interface FaultDefinition {
  readonly name: string;
  readonly description: string;
  /** `any`: every service operation except login, unless `operation=…` says which. */
  readonly at: FaultOperation | 'any';
  /** `instead`: the request is not carried out. `after`: it was, and only its answer suffers. `inside`: it changes how it is carried out. */
  readonly when: 'instead' | 'inside' | 'after';
  readonly effect: Effect;
}
