import type { UploadResult } from '../../api/upload/types';
import { createSchedule } from '../../temporal/reports/client/create-schedule';
import { describeSchedule } from '../../temporal/reports/client/describe-schedule';
import { openOwnServer } from '../support/own-temporal';
import type { OwnServer } from '../support/own-temporal';
import { until } from '../support/until';
import { HELD, openUploadFixture } from '../support/upload-fixture';
import type { UploadFixture } from '../support/upload-fixture';

let temporal: OwnServer;
let fixture: UploadFixture;

/** The first two times pass in it. */
const OUTAGE_MS = 1_500;
/** From the moment a schedule is made to its first time: until then a busy server has taken it over, and is killed. */
const LEAD_MS = 15_000;

describe('a Temporal server that is killed, and starts again on its database file', () => {
  const name = (): { accountId: string; id: string } => ({
    accountId: fixture.accountId,
    id: 'outage',
  });
  let film: { readonly sha256: string; readonly result: Promise<UploadResult> };
  /** The first time of the schedule. */
  let startAt: Date;

  /** Begins an upload that is in the middle of its second part. */
  async function beginUpload(): Promise<typeof film> {
    await fixture.startWorker();
    fixture.simulator.fault('hold:part=2');
    const { path, sha256 } = await fixture.writeFile('film.mp4', 4);
    const handle = await fixture.start(path, { options: { ...HELD, concurrency: 1 } });
    const result = handle.result();
    await fixture.simulator.waitFor(({ event }) => event === 'held');
    return { sha256, result };
  }

  /** Makes a schedule that fires each second from then on, on a queue without a worker. */
  async function beginSchedule(): Promise<Date> {
    const { account, connection, folder, config } = fixture;
    const schedule = await createSchedule(connection, {
      account,
      queuePrefix: 'nobody',
      request: { id: name().id, timing: { at: '07:00' }, targets: [`file:${folder}/outage`] },
      paths: { cwd: folder, host: config.host },
    });
    const first = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + LEAD_MS);
    await connection.client.schedule.getHandle(schedule.scheduleId).update((previous) => ({
      ...previous,
      spec: { intervals: [{ every: 1_000 }], startAt: first },
    }));
    await until(
      'Temporal has taken the times over',
      () => describeSchedule(connection, name()),
      ({ nextTimes }) => nextTimes[0]?.getTime() === first.getTime(),
    );
    return first;
  }

  beforeAll(async () => {
    temporal = await openOwnServer();
    fixture = await openUploadFixture({ temporal });
    const { simulator } = fixture;
    film = await beginUpload();
    startAt = await beginSchedule();
    await temporal.kill();
    expect(Date.now()).toBeLessThan(startAt.getTime());
    await until('the times have passed', () => Date.now() > startAt.getTime() + OUTAGE_MS);
    // So that the outage is over soon: Temporal's worker does not repeat the answer of a step for as long as this.
    simulator.release();
    await simulator.waitFor(({ event, part }) => event === 'part-stored' && part === 2);
    await temporal.restart();
  });

  afterAll(async () => {
    await fixture.close();
    await temporal.close();
  });

  it('loses nothing of an upload, and whoever waits for the result gets it', async () => {
    const { uploadId } = await film.result;
    expect(await fixture.simulator.objectSha256(fixture.session(uploadId).keyName)).toBe(film.sha256);
    expect(fixture.simulator.seen()).toMatchObject({ starts: 1, completesAccepted: 1, completesRefused: 0 });
  });

  it('fires a schedule whose times passed meanwhile once afterwards, for the first of them', async () => {
    const { connection } = fixture;
    // There is no worker, so the run never ends and everything else that is due is skipped.
    const after = await until(
      'the missed times are dealt with',
      () => describeSchedule(connection, name()),
      ({ runs, skipped, missed }) => runs + skipped + missed > OUTAGE_MS / 1_000,
    );
    expect(after).toMatchObject({
      runs: 1,
      missed: 0,
      running: [{ workflowId: expect.stringMatching(/^report\//), runId: expect.any(String) }],
    });
    const handle = connection.client.schedule.getHandle(after.scheduleId);
    const { info } = await handle.describe();
    expect(info.recentActions.map(({ scheduledAt }) => scheduledAt)).toEqual([startAt]);
  });
});
