import { randomUUID } from 'node:crypto';
import type { Session } from '../uploads/session-registry';
import type { World } from '../world';

/** The end of a session makes a delivery, as its seeded media have theirs. */
export function recordProcessing(world: World, { mediaId, item, status }: Session): void {
  world.deliveries.push({
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
    sentAt: new Date(world.settings.now()).toISOString(),
  });
}
