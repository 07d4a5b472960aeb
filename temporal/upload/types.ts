import type { SourceDescriptor } from '../../api/upload/sources/source';
import type { PartInput, PartResult, StartInput } from '../../api/upload/upload-steps';
import type { ForAccount, Sealed } from '../contract/upload';

/** The input of an activity that reads or removes a source. */
export type SourceInput = ForAccount<{ readonly source: SourceDescriptor }>;

export type StartSessionInput = ForAccount<StartInput>;

export type PollSessionInput = ForAccount<{
  readonly uploadId: string;
  /** Epoch ms. */
  readonly completedAt: number;
  readonly limitMs: number;
  /** The first pause between two tries, ms. Grows with the tries. */
  readonly pollDelayMs: number;
}>;

/** Fields that differ between the parts of a run. */
export type RunPart = Pick<PartInput<Sealed>, 'partNumber' | 'offset' | 'bytes' | 'url'>;

/** Parts that travel together. What is equal for all of them is here once. */
export type SendPartsInput = ForAccount<Omit<PartInput<Sealed>, keyof RunPart>> & {
  readonly parts: readonly RunPart[];
  /** Parts that are sent at the same time. */
  readonly atOnce: number;
};

/** The heartbeat details of `sendParts`: what its next try must not repeat. */
export interface SentParts {
  readonly done: readonly PartResult[];
  /** Tries of parts that are not done. */
  readonly tries: readonly (readonly [partNumber: number, tries: number])[];
  /** Fresh URLs that replaced those of `start`. */
  readonly urls: readonly NonNullable<RunPart['url']>[];
  /** Workers that have refused a part. */
  readonly refusedBy?: readonly string[];
  /** Bytes that this run has sent so far, those of parts under way included. */
  readonly bytes: number;
}

/** The activity that sends parts. Clients look for it in descriptions. */
export const SEND_PARTS = 'sendParts';
