import { importWorkflow } from '../support/n8n-executions';
import { workflowOf } from '../support/n8n-stage';
import type { Stage } from '../support/n8n-stage';

export function describeCommandLine(on: Stage): void {
  test("inside n8n's command line, which nothing but pauses keeps running, an upload waits until it is COMPLETED", async () => {
    const { n8n, fixture, withoutTemporal } = on;
    const { path } = await fixture.writeFile('at-the-command-line.mp4', 6);
    const { url } = await fixture.serveFile(path);
    // A pause after the first try, and pauses between the polls.
    fixture.simulator.fault('start-503');
    const upload = { resource: 'upload', operation: 'upload', source: 'url', url };
    const id = await importWorkflow(n8n.rest, workflowOf(upload, { credentials: withoutTemporal }));
    const output = await n8n.cli(['execute', `--id=${id}`, '--rawOutput']);
    expect(output).toMatch(/"status": "COMPLETED"/);
    expect(output).toContain('at-the-command-line.mp4');
  });
}
