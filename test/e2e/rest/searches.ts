import { expect, test } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { secretsIn } from '../../support/canary';
import { NODE_NAME, workflowOf } from '../support/n8n-stage';
import type { OnStage } from '../support/n8n-stage';
import { SECRET_TRACES } from '../support/service-fixture';

export function describeSearches(on: OnStage): void {
  test("n8n's command line imports credentials and a workflow, and its execution returns what REST returns", async () => {
    const { n8n, fixture } = on.stage;
    const credential = { id: 'fromcli000000001', name: 'From the command line', type: 'mediaServiceApi' };
    const parameters = { resource: 'media', operation: 'search', limit: 3 };
    const credentials = { mediaServiceApi: { id: credential.id, name: credential.name } };
    const workflow = {
      id: 'fromcli000000002',
      name: 'CLI',
      active: false,
      ...workflowOf(parameters, { credentials }),
    };
    const folder = fixture.folder;
    await writeFile(
      join(folder, 'credentials.json'),
      JSON.stringify([{ ...credential, data: fixture.credentials.mediaServiceApi }]),
    );
    await writeFile(join(folder, 'workflow.json'), JSON.stringify([workflow]));
    await n8n.cli(['import:credentials', `--input=${join(folder, 'credentials.json')}`]);
    await n8n.cli(['import:workflow', `--input=${join(folder, 'workflow.json')}`]);
    const output = await n8n.cli(['execute', `--id=${workflow.id}`, '--rawOutput'], {
      N8N_LOG_LEVEL: 'info',
    });
    // n8n prints into its log. The data begins and ends with a line of its own.
    const answer = JSON.parse(/^\{\n[^]*^\}$/m.exec(output)?.[0] ?? '') as {
      data: { resultData: { runData: Record<string, { data: { main: { json: unknown }[][] } }[]> } };
    };
    const { items } = await on.stage.run(parameters);
    const given = answer.data.resultData.runData[NODE_NAME]?.[0]?.data.main[0]?.map(({ json }) => json);
    expect(given).toEqual(items.map(({ json }) => json));
    expect(secretsIn(output, SECRET_TRACES)).toEqual([]);
  });
}
