import { afterTest } from '../../support/after-test';
import { join } from 'node:path';
import readSheets from 'read-excel-file/node';
import { asText } from '../../n8n/support/as-text';
import { activateWorkflow, createCredential, runWorkflow, waitForExecution } from '../support/n8n-executions';
import type { Stage } from '../support/n8n-stage';
import { startChatModel } from './support/chat-model';
import { importTemplate } from './support/import-template';
import { openMcpClient } from './support/mcp-client';

export function describeMediaTemplates(on: Stage): void {
  test('media-library-to-spreadsheet writes a row for each media of the library, newest first', async () => {
    const { n8n, fixture } = on;
    const path = join(fixture.folder, 'library.xlsx');
    const id = await importTemplate(on, 'media-library-to-spreadsheet.json', {
      parameters: { 'Write the file': { fileName: path } },
    });
    const execution = await runWorkflow(n8n.rest, id, 'Every Monday at 6');
    expect(execution.error).toBeUndefined();
    const [sheet] = await readSheets(path);
    const items = await on.run({
      resource: 'media',
      operation: 'search',
      returnAll: true,
      filters: { isLibrary: true },
      sort: 'createdAt,DESC',
    });
    expect(sheet?.sheet).toBe('Media');
    const [header, ...rows] = sheet?.data ?? [];
    expect(header).toEqual(['ID', 'Title', 'Type', 'File type', 'Active', 'Created', 'Tags']);
    expect(items.length).toBeGreaterThan(5);
    expect(rows.map(([id, title, type]) => [id, title, type])).toEqual(
      items.map(({ json: { id, title, type } }) => [id, title, type]),
    );
  });

  test("agent-media-search turns the model's words into a search, and answers with what the service returned", async () => {
    const { rest } = on.n8n;
    const model = await startChatModel({ Search_Term: 'rooftop', Type: 'VIDEO', Limit: 2 });
    afterTest(() => model.close());
    const credentials = await model.credential(rest);
    const id = await importTemplate(on, 'agent-media-search.json', { credentials });
    const json = { sessionId: 'session', action: 'sendMessage', chatInput: 'Which videos of the rooftop?' };
    const asked = { startTime: 0, executionTime: 0, executionIndex: 0, source: [] };
    const { executionId } = (await rest.request('POST', `/workflows/${id}/run`, {
      triggerToStartFrom: { name: 'When asked', data: { ...asked, data: { main: [[{ json }]] } } },
    })) as { executionId: string };
    const execution = await waitForExecution(rest, executionId);
    expect(execution.error).toBeUndefined();
    const search = { resource: 'media', operation: 'search', limit: 2, searchTerm: 'rooftop' };
    const items = await on.run({ ...search, filters: { type: 'VIDEO' } });
    expect(items.length).toBeGreaterThan(0);
    const answer = asText(execution.output('Answer from the library')[0]?.json['output']);
    expect(JSON.parse(answer)).toEqual(items.map((item) => item.json));
    expect(model.offered).toMatchObject([
      { name: 'Find_media', description: expect.stringMatching(/^Searches the media library/) },
    ]);
    const [{ parameters } = { parameters: { properties: {} } }] = model.offered;
    expect(Object.keys(parameters.properties).sort()).toEqual(['Limit', 'Search_Term', 'Type']);
  });

  test('mcp-media-tools lets an MCP client search, upload by a URL, and read why an upload was refused', async () => {
    const { n8n, fixture } = on;
    const token = 'token-of-the-client';
    const bearer = { name: 'Clients', type: 'httpBearerAuth', data: { token } };
    const credentials = { httpBearerAuth: await createCredential(n8n.rest, bearer) };
    await activateWorkflow(n8n.rest, await importTemplate(on, 'mcp-media-tools.json', { credentials }));
    const client = await openMcpClient(`${n8n.url}/mcp/media-service`, token);
    expect((await client.tools()).sort()).toEqual(['Find_media', 'Look_at_an_upload', 'Upload_a_file']);
    const found = await client.call('Find_media', { Search_Term: 'rooftop', Limit: 1 });
    expect(JSON.parse(found)).toEqual([
      expect.objectContaining({ title: expect.stringMatching(/rooftop/i) }),
    ]);
    const { url } = await fixture.serveFile((await fixture.writeFile('from-client.mp4', 1)).path);
    const sent = await client.call('Upload_a_file', { URL: url, Key: 'order-1', Title: 'Sent' });
    const [{ uploadId = '' } = {}] = JSON.parse(sent) as { uploadId?: string }[];
    const looked = await client.call('Look_at_an_upload', { Upload_ID: uploadId });
    expect(JSON.parse(looked)).toEqual([
      expect.objectContaining({ uploadId, status: expect.stringMatching(/COMPLETED?$/) }),
    ]);
    const refused = await client.call('Upload_a_file', { URL: 'nowhere', Key: 'order-2', Title: 'No' });
    expect(refused).toMatch(/must start with http.*Enter the full address/);
  });
}
