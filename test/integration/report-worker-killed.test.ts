import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { controlQueue } from '../../temporal/contract';
import { runSchedule } from '../../temporal/schedules/run-report';
import { useReportBed } from '../support/report-bed';
import { untilPolled } from '../support/until-polled';
import { startWorkerProcess } from '../support/worker-process';

const at = useReportBed({ worker: false });

describe('a report whose worker is killed between two targets', () => {
  it('reaches each of them once: what had arrived is not sent again, the rest is sent by another worker', async () => {
    const { on } = at;
    on.deliver(new Date(Date.now() - 24 * 3_600_000).toISOString());
    const state = join(on.bed.folder, 'killed.state.json');
    const targets = [on.hook.url, 'mail:ops@example.org'];
    await on.create({ id: 'killed', zone: 'UTC', targets, state, heartbeatMs: 8_000 });
    const config = { ...on.bed.config, secrets: join(on.bed.folder, 'secrets.json') };
    const worker = await startWorkerProcess(config);
    await untilPolled(on.bed.connection, [controlQueue(on.bed.queuePrefix, on.bed.accountId)]);
    const held = new Promise<void>((reached) => {
      on.mail.onReceiver = () => {
        reached();
        return new Promise(() => undefined);
      };
    });
    const { bed } = on;
    const run = await runSchedule(bed.connection, { accountId: bed.accountId, id: 'killed' });
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
