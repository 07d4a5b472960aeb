import type { Recorder, SeenOperation } from './recorder';
import type { SessionStatus } from '../uploads/session-registry';
import type { SimulatorState } from '../state';

/**
 * Everything that a simulator saw. Contains no token, secret or URL's query. Plain JSON: the answer of `GET
 * /__simulator`.
 */
export interface Seen {
  /** Requests that were answered or cut off, by operation. */
  readonly requests: Readonly<Partial<Record<SeenOperation, number>>>;
  /** By operation, then by status; 0 = no answer. */
  readonly answers: Readonly<Partial<Record<SeenOperation, Readonly<Record<string, number>>>>>;
  readonly logins: number;
  readonly starts: number;
  readonly completesAccepted: number;
  readonly completesRefused: number;
  readonly bytesReceived: number;
  readonly bytesStored: number;
  readonly maxPutsAtOnce: number;
  /** Must stay empty: requests to storage with an Authorization header. */
  readonly bearerToStorage: readonly {
    readonly method: string;
    readonly part: number | null;
    readonly at: number;
  }[];
  readonly sessions: readonly SeenSession[];
  /** Number of media of the account's own sub-account. */
  readonly media: number;
  readonly deliveries: number;
  readonly faults: {
    readonly armed: readonly { readonly name: string; readonly remaining: number | 'always' }[];
    /** How often each fault was applied. */
    readonly struck: Readonly<Record<string, number>>;
  };
}

export interface SeenSession {
  readonly uploadId: string;
  readonly mediaId: string;
  readonly keyName: string;
  readonly title: string | null;
  readonly tags: Readonly<Record<string, unknown>>;
  readonly status: SessionStatus;
  readonly failureReason: string | null;
  readonly amountOfParts: number;
  readonly completesAccepted: number;
  readonly completesRefused: number;
  /** Ascending by part number. */
  readonly parts: readonly {
    readonly partNumber: number;
    readonly eTag: string;
    readonly bytes: number;
    readonly puts: number;
  }[];
}

export function seenOf({ recorder, sessions, faults, media, deliveries, settings }: SimulatorState): Seen {
  return {
    ...countersOf(recorder),
    sessions: sessions.all().map((session) => ({
      uploadId: session.uploadId,
      mediaId: session.mediaId,
      keyName: session.keyName,
      title: session.item.title,
      tags: session.item.tags,
      status: session.status,
      failureReason: session.failureReason,
      amountOfParts: session.amountOfParts,
      completesAccepted: session.completesAccepted,
      completesRefused: session.completesRefused,
      parts: [...session.parts]
        .sort(([a], [b]) => a - b)
        .map(([partNumber, { eTag, bytes, puts }]) => ({ partNumber, eTag, bytes, puts })),
    })),
    media: media.filter(({ subAccountId }) => subAccountId === settings.account.externalId).length,
    deliveries: deliveries.length,
    faults: { armed: faults.armed(), struck: { ...recorder.faults } },
  };
}

function countersOf(recorder: Recorder): Omit<Seen, 'sessions' | 'media' | 'deliveries' | 'faults'> {
  const { logins, starts, completesAccepted, completesRefused, bytesReceived, bytesStored, maxPutsAtOnce } =
    recorder;
  return {
    requests: { ...recorder.requests },
    answers: structuredClone(recorder.answers),
    logins,
    starts,
    completesAccepted,
    completesRefused,
    bytesReceived,
    bytesStored,
    maxPutsAtOnce,
    bearerToStorage: [...recorder.bearerToStorage],
  };
}
