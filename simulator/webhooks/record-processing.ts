import { randomUUID } from 'node:crypto';
import type { Session } from '../uploads/session-registry';
import type { SimulatorState } from '../state';

/** Adds a delivery for the end of a session, as seeded media have one. */
export function recordProcessing(state: SimulatorState, { mediaId, item, status }: Session): void {
  state.deliveries.push({
    id: randomUUID(),
    eventType: status === 'COMPLETED' ? 'media.processed' : 'media.failed',
    mediaId,
    subAccountId: item.subAccountId,
    status: 'SUCCESS',
    httpStatus: 200,
    targetUrl: 'https://hooks.example.com/media',
    attempt: 1,
    durationMs: 42,
    message: '',
    sentAt: new Date(state.settings.now()).toISOString(),
  });
}
