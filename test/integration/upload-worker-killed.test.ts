import { defaultPayloadConverter } from '@temporalio/common';
import type { SentParts } from '../../temporal/upload/types';
import { freePort } from '../support/free-port';
import { HELD, MIB, useUploadFixture } from '../support/upload-fixture';
import { until } from '../support/until';

const on = useUploadFixture({ worker: false });
const UPLOADS = 3;
const PARTS = 3;

const lastSeq = (): number => on.fixture.simulator.events().at(-1)?.seq ?? 0;

/** Resolves once the server has `parts` parts of an upload's running run, which a lost worker can't lose. */
async function untilPartsKept(workflowId: string, parts: number): Promise<void> {
  const kept = async (): Promise<SentParts | undefined> => {
    const { raw } = await on.fixture.connection.client.workflow.getHandle(workflowId).describe();
    const [details] = raw.pendingActivities?.[0]?.heartbeatDetails?.payloads ?? [];
    return details == null ? undefined : defaultPayloadConverter.fromPayload(details);
  };
  await until(`${parts} parts are kept`, kept, (now) => now?.done.length === parts);
}

it('a worker that is lost by SIGKILL in the middle of a part is replaced: no stored part is sent again, one session, one complete', async () => {
  const { fixture } = on;
  const worker = await fixture.startWorkerProcess();
  fixture.simulator.fault('hold:part=3,bytes=1000000');
  const file = await fixture.writeFile('film.mp4', 5);
  // A lost worker is noticed by its missing heartbeats.
  const options = { ...HELD, concurrency: 1, heartbeatMs: 8_000 };
  const handle = await fixture.start(file.path, { options });
  await fixture.simulator.waitFor(({ event }) => event === 'held');
  await untilPartsKept(handle.workflowId, 2);
  await worker.kill('SIGKILL');
  fixture.simulator.release();
  const stopReplacement = await fixture.startWorker();
  const result = await handle.result();
  await stopReplacement();
  const session = fixture.session(result.uploadId);
  expect(await fixture.simulator.objectSha256(session.keyName)).toBe(file.sha256);
  const others = session.parts.filter(({ partNumber }) => partNumber !== 3);
  expect(others.map(({ puts }) => puts)).toEqual([1, 1, 1, 1]);
  expect(result.parts.map(({ attempts }) => attempts)).toEqual([1, 1, 2, 1, 1]);
  expect(fixture.simulator.seen()).toMatchObject({ starts: 1, completesAccepted: 1, completesRefused: 0 });
});

describe('a rolling restart of all workers', () => {
  it('completes every upload, sends no part twice that could end within the grace period, and says that it drains', async () => {
    const { fixture } = on;
    const from = lastSeq();
    const known = fixture.simulator.seen().sessions.length;
    const health = { host: '127.0.0.1', port: await freePort() };
    const grace = { shutdownGraceMs: 600_000, slots: { parts: UPLOADS } };
    const first = await fixture.startWorkerProcess({ ...grace, health });
    fixture.simulator.fault(`hold:${String(UPLOADS)}:part=2`);
    const handles = await Promise.all(
      Array.from({ length: UPLOADS }, async (_, number) => {
        const { path } = await fixture.writeFile(`film-${String(number)}.mp4`, PARTS);
        return fixture.start(path, { source: { kind: 'path', path }, options: { ...HELD, concurrency: 2 } });
      }),
    );
    let held = 0;
    await fixture.simulator.waitFor(
      ({ seq, event }) => seq > from && event === 'held' && (held += 1) === UPLOADS,
    );
    const next = await fixture.startWorkerProcess(grace);
    const ended = first.kill('SIGTERM');
    const url = `http://127.0.0.1:${String(health.port)}`;
    const answer = await until(
      'the first worker drains',
      () => fetch(`${url}/readyz`),
      ({ status }) => status === 503,
    );
    expect(await answer.json()).toEqual({ ok: false, notReady: ['the worker drains'] });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    fixture.simulator.release();
    const exits = [await ended];
    const results = await Promise.all(handles.map((handle) => handle.result()));
    exits.push(await next.kill('SIGTERM'));
    expect(exits).toEqual([0, 0]);
    expect(results.map(({ status }) => status)).toEqual(Array(UPLOADS).fill('COMPLETED'));
    const sessions = fixture.simulator.seen().sessions.slice(known);
    expect(sessions.flatMap(({ parts }) => parts.map(({ puts }) => puts))).toEqual(
      Array(UPLOADS * PARTS).fill(1),
    );
    const broken = fixture.simulator
      .events()
      .filter(({ seq, event }) => seq > from && event === 'part-broken');
    expect(broken).toEqual([]);
  });

  it("requeues a part that can't end within the grace period", async () => {
    const { fixture } = on;
    // The part would take 20 minutes, which fails the test.
    const first = await fixture.startWorkerProcess({ bandwidth: MIB / 256, shutdownGraceMs: 2_000 });
    const { path, sha256 } = await fixture.writeFile('long.mp4', 1);
    const options = { stallMs: 60_000 };
    const known = fixture.simulator.seen().sessions.length;
    const last = lastSeq();
    const begun = fixture.simulator.waitFor(({ seq, event }) => seq > last && event === 'part-begun');
    const handle = await fixture.start(path, { source: { kind: 'path', path }, options });
    await begun;
    await fixture.startWorker();
    expect(await first.kill('SIGTERM')).toBe(0);
    const result = await handle.result();
    expect(result.parts.map(({ attempts }) => attempts)).toEqual([2]);
    const [session] = fixture.simulator.seen().sessions.slice(known);
    expect(await fixture.simulator.objectSha256(session?.keyName ?? '')).toBe(sha256);
  });
});
