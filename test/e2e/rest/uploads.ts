import { afterTest } from '../../support/after-test';
import { secretsIn } from '../../support/canary';
import { serveFile } from '../../support/range-server';
import { importWorkflow } from '../support/n8n-executions';
import { secretsKept } from '../support/kept-by-n8n';
import { keptByTemporal } from '../support/kept-by-temporal';
import { workflowOf } from '../support/n8n-stage';
import type { OnStage } from '../support/n8n-stage';

const UPLOAD = { resource: 'upload', operation: 'upload', source: 'url' };

export function describeUploads(on: OnStage): void {
  test('a worker reads a signed URL, and Temporal, the execution and the log keep no signature', async () => {
    const { fixture, n8n } = on.stage;
    const signature = 'signature-canary-5b0c';
    const file = await fixture.writeFile('remote.mp4', 6);
    const server = await serveFile(file.path, `X-Source-Signature=${signature}`);
    afterTest(() => server.close());
    const sent = await on.stage.run({ ...UPLOAD, runIn: 'worker', url: server.url, simplify: false });
    expect(sent.error).toBeUndefined();
    const { uploadId, workflowId } = sent.items[0]?.json ?? {};
    expect(await fixture.storedSha256(uploadId)).toBe(file.sha256);
    expect(secretsIn(server.asked.join('\n'), [signature])).toEqual([signature]);
    const kept = await keptByTemporal(fixture, workflowId);
    expect(kept).toContain('remote.mp4');
    expect(sent.text).toContain('COMPLETED');
    expect(secretsIn([kept, sent.text, n8n.process.log()].join('\n'), [signature])).toEqual([]);
    // The workflow itself contains what its author wrote into the field.
    const files = await secretsKept(n8n, [signature]);
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((name) => !name.startsWith('database.sqlite'))).toEqual([]);
  });

  test("inside n8n's command line, which nothing but pauses keeps running, an upload waits until it is COMPLETED", async () => {
    const { n8n, fixture, withoutTemporal } = on.stage;
    const { path } = await fixture.writeFile('at-the-command-line.mp4', 6);
    const server = await serveFile(path);
    afterTest(() => server.close());
    // A pause after the first try, and pauses between the polls.
    fixture.simulator.fault('start-503');
    const workflow = workflowOf({ ...UPLOAD, url: server.url }, { credentials: withoutTemporal });
    const id = await importWorkflow(n8n.rest, workflow);
    const output = await n8n.cli(['execute', `--id=${id}`, '--rawOutput']);
    expect(output).toMatch(/"status": "COMPLETED"/);
    expect(output).toContain('at-the-command-line.mp4');
  });
}
