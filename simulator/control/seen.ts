import type { SimulatorState } from '../state';

/**
 * Everything that a simulator saw. Contains no token, secret or URL's query. Plain JSON: the answer of `GET
 * /__simulator`.
 */
export type Seen = ReturnType<typeof seenOf>;

export function seenOf({ recorder, sessions, faults, media, deliveries, settings }: SimulatorState) {
  const all = sessions.all();
  const sum = (count: 'completesAccepted' | 'completesRefused'): number =>
    all.reduce((total, session) => total + session[count], 0);
  return {
    ...structuredClone(recorder.counts),
    completesAccepted: sum('completesAccepted'),
    completesRefused: sum('completesRefused'),
    /** Must stay empty: requests to storage with an Authorization header. */
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
      /** Ascending by part number. */
      parts: [...parts]
        .sort(([a], [b]) => a - b)
        .map(([partNumber, { eTag, bytes, puts }]) => ({ partNumber, eTag, bytes, puts })),
    })),
    /** Number of media of the account's own sub-account. */
    media: media.filter(({ subAccountId }) => subAccountId === settings.account.externalId).length,
    deliveries: deliveries.length,
    /** `struck`: how often each fault was applied. */
    faults: { armed: faults.armed(), struck: { ...recorder.faults } },
  };
}
