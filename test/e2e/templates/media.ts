import { readdir } from 'node:fs/promises';
import { afterTest } from '../../support/after-test';
import { join } from 'node:path';
import readSheets from 'read-excel-file/node';
import { ROOT } from '../../support/pack';
import { activateWorkflow, createCredential, runWorkflow, waitForExecution } from '../support/n8n-executions';
import type { Execution } from '../support/n8n-executions';
import type { OnStage } from '../support/n8n-stage';
import { serveFile } from '../../support/range-server';
import { startChatModel } from './support/chat-model';
import { importTemplate, readTemplate } from './support/import-template';
import { openMcpClient } from './support/mcp-client';

export function describeMediaTemplates(on: OnStage): void {
  test('this n8n knows every node of every template, in its newest version', async () => {
    const answer = await on.stage.n8n.rest.fetch('/types/nodes.json');
    const known = (await answer.json()) as { name: string; version: number | number[] }[];
    const newest = (type: string): number =>
      Math.max(...known.filter(({ name }) => name === type).flatMap(({ version }) => version));
    const files = (await readdir(join(ROOT, 'workflows'))).filter((file) => file.endsWith('.json'));
    for (const file of files) {
      const { nodes } = await readTemplate(file);
      const used = nodes.map(({ type, typeVersion }) => [file, type, typeVersion]);
      expect(used).toEqual(nodes.map(({ type }) => [file, type, newest(type)]));
    }
    expect(files.length).toBeGreaterThan(0);
  });

  describe('media-library-to-spreadsheet', () => {
    test('writes a row for each media of the library, newest first', async () => {
      const { n8n, fixture } = on.stage;
      const path = join(fixture.folder, 'library.xlsx');
      const id = await importTemplate(on.stage, 'media-library-to-spreadsheet.json', {
        parameters: { 'Write the file': { fileName: path } },
      });
      const execution = await runWorkflow(n8n.rest, id, 'Every Monday at 6');
      expect(execution.error).toBeUndefined();
      const [sheet] = await readSheets(path);
      const { items } = await on.stage.run({
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
  });

  describe('agent-media-search', () => {
    const ask = async (
      model: Awaited<ReturnType<typeof startChatModel>>,
      chatInput: string,
    ): Promise<Execution> => {
      const { rest } = on.stage.n8n;
      const credentials = await model.credential(rest);
      const id = await importTemplate(on.stage, 'agent-media-search.json', { credentials });
      const json = { sessionId: 'session', action: 'sendMessage', chatInput };
      const asked = {
        startTime: 0,
        executionTime: 0,
        executionIndex: 0,
        source: [],
        data: { main: [[{ json }]] },
      };
      const { executionId } = (await rest.request('POST', `/workflows/${id}/run`, {
        triggerToStartFrom: { name: 'When asked', data: asked },
      })) as { executionId: string };
      return waitForExecution(rest, executionId);
    };

    test("turns the model's words into a search, and answers with what the service returned", async () => {
      const searches = [{ Search_Term: 'rooftop', Type: 'VIDEO', Limit: 2 }];
      const model = await startChatModel(searches, ([found = '']) => `Found: ${found}`);
      afterTest(() => model.close());
      const execution = await ask(model, 'Which videos of the rooftop do we have?');
      expect(execution.error).toBeUndefined();
      const { items } = await on.stage.run({
        resource: 'media',
        operation: 'search',
        limit: 2,
        searchTerm: 'rooftop',
        filters: { type: 'VIDEO' },
      });
      expect(items.length).toBeGreaterThan(0);
      expect(model.given.map((given): unknown => JSON.parse(given))).toEqual([items.map(({ json }) => json)]);
      const answer = { output: `Found: ${model.given[0] ?? ''}` };
      expect(execution.output('Answer from the library')[0]?.json).toEqual(answer);
      expect(model.offered.map(({ name }) => name)).toEqual(['Find_media']);
      const [{ description, parameters } = { parameters: { properties: {} } }] = model.offered;
      expect(description).toMatch(/^Searches the media library/);
      expect(Object.keys(parameters.properties).sort()).toEqual(['Limit', 'Search_Term', 'Type']);
    });
  });

  test('mcp-media-tools lets an MCP client search, upload by a URL, and read why an upload was refused', async () => {
    const { n8n, fixture } = on.stage;
    const token = 'token-of-the-client';
    const bearer = { name: 'Clients', type: 'httpBearerAuth', data: { token } };
    const credentials = { httpBearerAuth: await createCredential(n8n.rest, bearer) };
    await activateWorkflow(n8n.rest, await importTemplate(on.stage, 'mcp-media-tools.json', { credentials }));
    const client = await openMcpClient(`${n8n.url}/mcp/media-service`, token);
    expect((await client.tools()).sort()).toEqual(['Find_media', 'Look_at_an_upload', 'Upload_a_file']);
    const found = await client.call('Find_media', { Search_Term: 'rooftop', Limit: 1 });
    expect(JSON.parse(found)).toEqual([
      expect.objectContaining({ title: expect.stringMatching(/rooftop/i) }),
    ]);
    const server = await serveFile((await fixture.writeFile('from-client.mp4', 1)).path);
    afterTest(() => server.close());
    const sent = await client.call('Upload_a_file', { URL: server.url, Key: 'order-1', Title: 'Sent' });
    const [{ uploadId = '' } = {}] = JSON.parse(sent) as { uploadId?: string }[];
    const looked = await client.call('Look_at_an_upload', { Upload_ID: uploadId });
    expect(JSON.parse(looked)).toEqual([
      expect.objectContaining({ uploadId, status: expect.stringMatching(/COMPLETED?$/) }),
    ]);
    const refused = await client.call('Upload_a_file', { URL: 'nowhere', Key: 'order-2', Title: 'No' });
    expect(refused).toMatch(/must start with http.*Enter the full address/);
  });
}
