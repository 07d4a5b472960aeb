const WINDOW_MS = 15_000;

/** How far an upload is. */
export interface TransferReading {
  /** Epoch ms. */
  readonly at: number;
  /** Bytes that are over, those under way included. */
  readonly bytes: number;
  /** Bytes of parts that are done: fewer than before means that the upload began anew. */
  readonly bytesDone: number;
}

export interface TransferMeter {
  add(reading: TransferReading): void;
  /** The furthest it has been. Bytes that a failed try takes back are sent again: until then it stands still, never goes back. */
  bytes(): number;
  /** Bytes per second over the last 15 s; undefined while there is nothing to tell from. */
  rate(): number | undefined;
  /** How long it has stood still, ms. */
  stillMs(): number;
}

/** Progress and rate of one transfer, from readings of how far it is. */
export function createTransferMeter(): TransferMeter {
  let readings: { readonly at: number; readonly bytes: number }[] = [];
  let bytesDone = 0;
  let movedAt: number | undefined;
  const furthest = (): number => readings.at(-1)?.bytes ?? 0;
  return {
    add(reading) {
      if (reading.bytesDone < bytesDone) readings = [];
      bytesDone = reading.bytesDone;
      if (movedAt === undefined || reading.bytes > furthest()) movedAt = reading.at;
      const bytes = Math.max(furthest(), reading.bytes);
      readings = [...readings.filter(({ at }) => reading.at - at <= WINDOW_MS), { at: reading.at, bytes }];
    },
    bytes: furthest,
    rate() {
      const first = readings.at(0);
      const last = readings.at(-1);
      if (first === undefined || last === undefined || last.at <= first.at) return undefined;
      return ((last.bytes - first.bytes) * 1000) / (last.at - first.at);
    },
    stillMs: () => (readings.at(-1)?.at ?? 0) - (movedAt ?? readings.at(-1)?.at ?? 0),
  };
}
