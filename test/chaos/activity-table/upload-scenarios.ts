import type { UploadRequest } from '../../../api/upload/types';
import type { uploadActivities } from '../../../temporal/upload/activities';
import type { UploadHandle } from '../../../temporal/upload/client/open-upload';
import type { Cell, RunContext, Scenario } from './cell';

/** Settings with which a lost worker is noticed soon. */
export const HASTY_UPLOAD = { heartbeatMs: 3_000, startLimitMs: 2_000, startPauseMs: 100, pollDelayMs: 100 };
const TITLE = 'Killed film';
/** The last part is short. */
const PARTS = 1.2;

const REQUEST: Partial<UploadRequest> = {
  ingestKey: 'killed',
  media: { title: TITLE, fileType: 'MP4' },
  options: HASTY_UPLOAD,
};

function upload(...faults: readonly string[]): Scenario {
  return async ({ fixture }) => {
    for (const fault of faults) fixture.simulator.fault(fault);
    const { path } = await fixture.writeFile('film.mp4', PARTS);
    return contextOf(path, () => fixture.start(path, REQUEST));
  };
}

async function contextOf(path: string, start: () => Promise<UploadHandle>): Promise<RunContext> {
  const handle = await start();
  return {
    handle,
    again: start,
    evidence: async (reported) => ({
      workflowIds: [handle.workflowId],
      files: new Map([[TITLE, path]]),
      reported,
    }),
  };
}

/** The source is copied to the spool folder, and the copy is removed at the end. */
async function spooled({ fixture }: Cell): Promise<RunContext> {
  const { path } = await fixture.writeFile('film.mp4', PARTS);
  const source = { ...(await fixture.serveFile(path, 'sig=source-url-canary')), spool: true };
  return contextOf(path, () => fixture.start('', { ...REQUEST, source }));
}

/** An earlier run was cancelled, and left its session. */
async function leftBefore({ fixture }: Cell): Promise<RunContext> {
  const { path } = await fixture.writeFile('film.mp4', PARTS);
  fixture.simulator.fault('hold:part=1');
  const first = await fixture.start(path, REQUEST);
  await fixture.simulator.waitFor(({ event }) => event === 'held');
  await first.cancel();
  await first.result().catch(() => undefined);
  fixture.simulator.clearFaults();
  return contextOf(path, () => fixture.start(path, REQUEST));
}

/** How a workflow of one upload reaches each of its activities. */
export const UPLOADS: Readonly<Record<keyof ReturnType<typeof uploadActivities>, Scenario>> = {
  pinSource: upload(),
  startSession: upload(),
  awaitUploadHost: upload('start-lost'),
  findOrphans: upload('start-lost'),
  sendParts: upload(),
  completeSession: upload(),
  pollSession: upload(),
  readSession: leftBefore,
  releaseSource: spooled,
};
