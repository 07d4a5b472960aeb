import type { SimulatorEvent } from '../../../simulator/control/recorder';
import type { SeenSession } from '../../support/upload-fixture';

type Session = Pick<SeenSession, 'uploadId' | 'title' | 'tags'>;

/**
 * Names each `complete` that was repeated without a read of its session, and each file's session that was followed by
 * another one although nobody had read it or searched for it. Files have different titles.
 */
export function blindRepeats(events: readonly SimulatorEvent[], sessions: readonly Session[]): string[] {
  const byId = new Map(sessions.map((session) => [session.uploadId, session]));
  const completed = new Set<string>();
  /** The last session of each title, until somebody looks for it. */
  const unseen = new Map<string, Session>();
  const blind: string[] = [];
  const forget = (matches: (session: Session) => boolean): void => {
    for (const [title, session] of unseen) if (matches(session)) unseen.delete(title);
  };
  for (const { event, operation, uploadId = '', tags } of events) {
    if (event === 'started') {
      const session = byId.get(uploadId);
      if (session === undefined) throw new Error(`No session has the id ${uploadId}.`);
      const earlier = unseen.get(session.title ?? '');
      if (earlier !== undefined) blind.push(`start after ${earlier.uploadId}`);
      unseen.set(session.title ?? '', session);
    }
    // An upload may continue after a search that failed: its result then says so.
    if ((event === 'searched' || event === 'search-failed') && tags !== undefined)
      forget((session) => carries(session, tags));
    if (event !== 'request') continue;
    if (operation === 'session') {
      completed.delete(uploadId);
      forget((session) => session.uploadId === uploadId);
    }
    if (operation !== 'complete') continue;
    if (completed.has(uploadId)) blind.push(`complete of ${uploadId}`);
    completed.add(uploadId);
  }
  return blind;
}

function carries({ tags: own }: Session, tags: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(tags).every(([name, value]) => own[name] === value);
}
