import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { controlQueue } from '../../temporal/contract/upload';
import { runSchedule } from '../../temporal/schedules/run-report';
import { useReportFixture } from '../support/report-fixture';
import { untilPolled } from '../support/until-polled';
import { startWorkerProcess } from '../support/worker-process';

const at = useReportFixture({ worker: false });

describe('a report whose worker is killed between two targets', () => {
  it('reaches each of them once: another worker sends only what had not arrived', async () => {
    const { on } = at;
    on.deliver(new Date(Date.now() - 24 * 3_600_000).toISOString());
    const state = join(on.fixture.folder, 'killed.state.json');
    const targets = [on.hook.url, 'mail:ops@example.org'];
    await on.create({ id: 'killed', zone: 'UTC', targets, state, heartbeatMs: 8_000 });
    const config = { ...on.fixture.config, secrets: join(on.fixture.folder, 'secrets.json') };
    const worker = await startWorkerProcess(config);
    await untilPolled(on.fixture.connection, [controlQueue(on.fixture.queuePrefix, on.fixture.accountId)]);
    const held = new Promise<void>((reached) => {
      on.mail.onReceiver = () => {
        reached();
        return new Promise(() => undefined);
      };
    });
    const { fixture } = on;
    const run = await runSchedule(fixture.connection, { accountId: fixture.accountId, id: 'killed' });
    await held;
    await on.noted('killed.state.json', '"deliveredTo": "');
    await worker.kill('SIGKILL');
    on.mail.onReceiver = async () => undefined;
    const replacement = await startWorkerProcess(config);
    const { targets: results } = await run.result().finally(() => replacement.kill('SIGTERM'));
    expect(results.map(({ outcome }) => outcome)).toEqual(['delivered', 'delivered']);
    expect([on.hook.posts.length, on.mail.mails.length]).toEqual([1, 1]);
    expect(JSON.parse(await on.read('killed.state.json'))).toMatchObject({
      cursors: [{ targets: [expect.stringContaining('webhook:'), 'mail:ops@example.org'] }],
    });
  });
});
