import { MediaServiceError } from '../../../errors';
import { isAccepted, isUnknownSession } from '../../session/session';
import type { UploadSession } from '../../session/session';
import type { PinnedSource } from '../../sources/source';
import type { Orphan, PartUrl, StartedSession, UploadSteps } from '../../upload-steps';
import type { JournalEntry } from './journal-entry';
import { differsFrom, sourceDiffers } from './journal-failure';

/** What is known when this run decides about a session of an earlier run. */
interface LeftSession {
  readonly left: JournalEntry;
  readonly session: NonNullable<JournalEntry['session']>;
  /** Opened URLs; those that do not open are missing. */
  readonly urls: readonly PartUrl<string>[];
  readonly pinned: PinnedSource | undefined;
  readonly meaning: string;
  readonly amountOfParts: number;
  /** The deployment has a request for additional URLs. */
  readonly renewable: boolean;
  /** Epoch ms. */
  readonly now: number;
}

type Continuation =
  | { readonly kind: 'continued' | 'joined'; readonly session: StartedSession<string> }
  | { readonly kind: 'abandoned'; readonly orphan: Orphan };

/**
 * Reads the session and decides: a completed session is joined, one that still accepts parts continues, any other is
 * abandoned with the reason. Rejects with `InputDiffers` or `SourceChanged` if continuing would mix two uploads.
 */
export async function continuationOf(
  steps: Pick<UploadSteps, 'readSession'>,
  asked: LeftSession,
): Promise<Continuation> {
  const { left, pinned, urls } = asked;
  const { uploadId, mediaId } = asked.session;
  const ids = { uploadId, ...(mediaId === undefined ? {} : { mediaId }) };
  const abandoned = (reason: string): Continuation => ({ kind: 'abandoned', orphan: { ...ids, reason } });
  const session = await readKnown(steps, uploadId);
  if (session === undefined) return abandoned('the service no longer knew it');
  if (session.status === 'FAILED')
    return abandoned(`it ended FAILED: ${session.failureReason ?? 'no reason'}`);
  if (left.meaning !== asked.meaning) throw differsFrom(uploadId);
  if (pinned !== undefined && pinned.bytes !== left.bytes) throw sourceDiffers(uploadId, pinned.fileName);
  const started = { ...ids, urls, renewable: asked.renewable };
  if (isAccepted(session.status)) return { kind: 'joined', session: started };
  if (left.amountOfParts !== asked.amountOfParts) return abandoned('it has another number of parts');
  if (!asked.renewable && !everyPartHasUrl(asked)) return abandoned('its URLs expired');
  return { kind: 'continued', session: started };
}

/** Undefined if the service does not know the session. */
async function readKnown(
  steps: Pick<UploadSteps, 'readSession'>,
  uploadId: string,
): Promise<UploadSession | undefined> {
  try {
    return await steps.readSession({ uploadId });
  } catch (error) {
    if (error instanceof MediaServiceError && isUnknownSession(error.facts)) return undefined;
    throw error;
  }
}

/** Returns whether the URLs at hand are enough for all parts that are still missing. */
function everyPartHasUrl({ urls, left, amountOfParts, now }: LeftSession): boolean {
  const lasting = urls.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now);
  return new Set([...lasting, ...left.parts].map(({ partNumber }) => partNumber)).size === amountOfParts;
}
