import type { Counts, Recorder } from './recorder';
import type { SessionStatus } from '../uploads/session-registry';
import type { SimulatorState } from '../state';

/**
 * Everything that a simulator saw. Contains no token, secret or URL's query. Plain JSON: the answer of `GET
 * /__simulator`.
 */
export interface Seen extends Readonly<Counts> {
  readonly completesAccepted: number;
  readonly completesRefused: number;
  /** Must stay empty: requests to storage with an Authorization header. */
  readonly bearerToStorage: Recorder['bearerToStorage'];
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
  const all = sessions.all();
  const sum = (count: 'completesAccepted' | 'completesRefused'): number =>
    all.reduce((total, session) => total + session[count], 0);
  return {
    ...structuredClone(recorder.counts),
    completesAccepted: sum('completesAccepted'),
    completesRefused: sum('completesRefused'),
    bearerToStorage: [...recorder.bearerToStorage],
    sessions: all.map(({ item, parts, ...session }) => ({
      uploadId: session.uploadId,
      mediaId: session.mediaId,
      keyName: session.keyName,
      title: item.title,
      tags: item.tags,
      status: session.status,
      failureReason: session.failureReason,
      amountOfParts: session.amountOfParts,
      completesAccepted: session.completesAccepted,
      completesRefused: session.completesRefused,
      parts: [...parts]
        .sort(([a], [b]) => a - b)
        .map(([partNumber, { eTag, bytes, puts }]) => ({ partNumber, eTag, bytes, puts })),
    })),
    media: media.filter(({ subAccountId }) => subAccountId === settings.account.externalId).length,
    deliveries: deliveries.length,
    faults: { armed: faults.armed(), struck: { ...recorder.faults } },
  };
}
