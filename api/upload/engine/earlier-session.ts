import type { ErrorCode } from '../../errors';
import { isTemporary } from '../../retry';
import type { Part } from '../plan-parts';
import { isUnknownSession } from '../protocol/session';
import type { PinnedSource } from '../sources/source';
import { identitiesDiffer, sourceIdentity } from '../sources/source-rules';
import type { EarlierSession, PartResult, StepFailure } from '../types';
import type { UploadTracker } from './upload-tracker';

// What decides whether the session of an earlier run is continued. Pure.

/** Whether the session was for other content. */
export function isOther({ bytes, identity }: EarlierSession, pinned: PinnedSource): boolean {
  return bytes !== pinned.bytes || identitiesDiffer(identity, sourceIdentity(pinned));
}

/** The parts of the plan that earlier runs sent. */
export function keptParts({ parts = [] }: EarlierSession, plan: readonly Part[]): PartResult[] {
  const sent = new Map(parts.map((part) => [part.partNumber, part]));
  return plan.flatMap(({ partNumber, bytes }) => {
    const part = sent.get(partNumber);
    return part === undefined ? [] : [{ ...part, bytes, attempts: 0, ms: 0 }];
  });
}

/** A new session may not meet these refusals. */
const OF_SESSION: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'SessionGone',
  'UrlExpired',
  'SignatureMismatch',
  'StorageRefused',
  'RequestRefused',
  'UnreadableAnswer',
]);

/** Why a new session replaces the earlier one. Undefined: the failure is not the session's, or it may be completed. */
export function reasonToLeave(
  { code, message, facts }: StepFailure,
  { completion }: Pick<UploadTracker, 'completion'>,
): string | undefined {
  const { outcome, field, details } = facts;
  if (completion === 'tried' && outcome !== 'refused') return undefined;
  if (isUnknownSession(facts)) return 'the service no longer knew it';
  if (completion === 'accepted') return undefined;
  const isFinal = !isTemporary({ code, facts }) && details?.['passing'] !== true;
  const isRefused = outcome === 'refused' && OF_SESSION.has(code) && isFinal;
  return isRefused || field === 'additionalUrls' ? `it could not be continued: ${message}` : undefined;
}
