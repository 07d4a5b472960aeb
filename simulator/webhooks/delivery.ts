/**
 * A webhook delivery record ("Fields of a webhook delivery record: not shown"). Its fields are also the columns of the
 * CSV, in this order.
 */
export interface Delivery {
  readonly id: string;
  readonly eventType: string;
  readonly mediaId: string;
  readonly subAccountId: string;
  readonly status: DeliveryStatus;
  readonly httpStatus: number | null;
  readonly targetUrl: string;
  readonly attempt: number;
  readonly durationMs: number;
  readonly message: string;
  /** ISO 8601. */
  readonly sentAt: string;
}

export type DeliveryStatus = 'FAILED' | 'SUCCESS';

export const DELIVERY_COLUMNS = [
  'id',
  'eventType',
  'mediaId',
  'subAccountId',
  'status',
  'httpStatus',
  'targetUrl',
  'attempt',
  'durationMs',
  'message',
  'sentAt',
] as const satisfies readonly (keyof Delivery)[];
