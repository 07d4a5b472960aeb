import type { UploadRequest } from '../../../api/upload/types';
import type { uploadActivities } from '../../../temporal/upload/activities';
import type { UploadHandle } from '../../../temporal/upload/client/open-upload';
import type { Cell, Evidence, RunContext, Scenario } from './cell';

/** Settings with which a lost worker is noticed soon. */
export const HASTY_UPLOAD = { heartbeatMs: 3_000, startLimitMs: 2_000, startPauseMs: 100, pollDelayMs: 100 };
const TITLE = 'Killed film';
/** The last part is short. */
const PARTS = 1.2;

type Change = Partial<UploadRequest>;

function request(change: Change = {}): Change {
  return {
    ingestKey: 'killed',
    media: { title: TITLE, fileType: 'MP4' },
    ...change,
    options: { ...HASTY_UPLOAD, ...change.options },
  };
}

function upload(faults: readonly string[] = [], change: Change = {}): Scenario {
  return {
    fixture: 'upload',
    async begin({ fixture }) {
      for (const fault of faults) fixture.simulator.fault(fault);
      const { path } = await fixture.writeFile('film.mp4', PARTS);
      return contextOf(path, () => fixture.start(path, request(change)));
    },
  };
}

async function contextOf(path: string, start: () => Promise<UploadHandle>): Promise<RunContext> {
  const handle = await start();
  return {
    handle,
    again: start,
    evidence: async (reported) => evidenceOf(handle.workflowId, path, reported),
  };
}

function evidenceOf(workflowId: string, path: string, reported: unknown): Evidence {
  return { workflowIds: [workflowId], files: new Map([[TITLE, path]]), reported };
}

/** The source is copied to the spool folder, and the copy is removed at the end. */
async function spooled({ fixture }: Cell): Promise<RunContext> {
  const { path } = await fixture.writeFile('film.mp4', PARTS);
  const source = { ...(await fixture.serveFile(path, 'sig=source-url-canary')), spool: true };
  return contextOf(path, () => fixture.start('', request({ source })));
}

/** An earlier run was cancelled, and left its session. */
async function leftBefore({ fixture }: Cell): Promise<RunContext> {
  const { path } = await fixture.writeFile('film.mp4', PARTS);
  fixture.simulator.fault('hold:part=1');
  const first = await fixture.start(path, request());
  await fixture.simulator.waitFor(({ event }) => event === 'held');
  await first.cancel();
  await first.result().catch(() => undefined);
  fixture.simulator.clearFaults();
  return contextOf(path, () => fixture.start(path, request()));
}

/** How a workflow of one upload reaches each of its activities. */
export const UPLOADS: Readonly<Record<keyof ReturnType<typeof uploadActivities>, Scenario>> = {
  pinSource: upload(),
  startSession: upload(),
  awaitUploadHost: upload(['start-lost']),
  findOrphans: upload(['start-lost']),
  sendParts: upload(),
  completeSession: upload(),
  pollSession: upload(),
  readSession: { fixture: 'upload', begin: leftBefore },
  releaseSource: { fixture: 'upload', begin: spooled },
};
