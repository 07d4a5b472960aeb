import { createReadStream } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import FormData from 'form-data';
import { until } from '../../support/until';
import { asText } from '../../n8n/support/as-text';
import { activateWorkflow, executionsOf, runWorkflow, waitForExecution } from '../support/n8n-executions';
import type { Execution } from '../support/n8n-executions';
import type { Stage } from '../support/n8n-stage';
import { fillInForm } from './support/form-visitor';
import { importTemplate, readTemplate, withValues } from './support/import-template';

export function describeUploadTemplates(on: Stage): void {
  describe('upload-from-form', () => {
    const FILE = 'upload-from-form.json';

    let address = '';
    let workflow = '';
    beforeAll(async () => {
      const form = (await readTemplate(FILE)).nodes.find(({ name }) => name === 'Upload form');
      address = `${on.n8n.url}/form/${form?.webhookId ?? ''}`;
      workflow = await importTemplate(on, FILE);
      await activateWorkflow(on.n8n.rest, workflow);
    });

    /** Sends the file through the form. Returns the last page, and the execution behind it. */
    const send = async (path: string): Promise<{ page: string; execution: Execution }> => {
      const { rest } = on.n8n;
      const data = new FormData();
      data.append('field-0', createReadStream(path));
      data.append('field-1', 'Kitchen, after');
      const { length: earlier } = await executionsOf(rest, workflow);
      const page = await fillInForm(address, data);
      // For a moment, a list leaves out an execution that is about to end.
      const [execution = ''] = await until(
        'n8n lists the execution',
        () => executionsOf(rest, workflow),
        ({ length }) => length > earlier,
      );
      return { page, execution: await waitForExecution(rest, execution) };
    };

    test('stores the file byte for byte, and shows the last page once it is COMPLETED', async () => {
      const file = await on.fixture.writeFile('kitchen.mp4', 12);
      const { page, execution } = await send(file.path);
      const { status, uploadId } = execution.output('Upload the file')[0]?.json ?? {};
      expect([execution.status, status]).toEqual(['success', 'COMPLETED']);
      expect(await on.fixture.storedSha256(uploadId)).toBe(file.sha256);
      expect(page).toContain('<h1>Ready</h1>');
      expect(page).toContain('“Kitchen, after” is uploaded and processed.');
      expect(page).toContain(asText(uploadId));
    });

    test("says on the last page if the service can't process the file", async () => {
      on.simulator.fault('processing-failed');
      const file = await on.fixture.writeFile('broken.mp4', 6);
      const { page, execution } = await send(file.path);
      expect(execution.output('Upload the file', 1)).toHaveLength(1);
      expect(page).toContain('<h1>Not uploaded</h1>');
      expect(page).toContain('please try again');
      expect(page).toContain(`Reference: ${execution.id}`);
      // Only the author of the form sees what went wrong.
      const { error } = execution.output('Upload the file', 1)[0]?.json ?? {};
      expect(error).toMatch(/could not process/);
      expect(page).not.toContain(asText(error));
    });

    test('says on the last page what is wrong with the file', async () => {
      const { page } = await send((await on.fixture.writeFile('notes.txt', 1)).path);
      expect(page).toContain('is TXT, which the service does not accept. Choose another file.');
      expect(page).not.toContain('please try again');
    });
  });

  test('bulk-upload-folder sends three files at a time, then the next ones, and lists the result of each', async () => {
    const { fixture, n8n } = on;
    await mkdir(join(fixture.folder, 'incoming'));
    const files = ['a.mp4', 'b.mp4', 'c.mp4', 'd.mp4', 'e.mp4'];
    for (const name of files) await fixture.writeFile(`incoming/${name}`, 6);
    await fixture.writeFile('incoming/notes.xyz', 1);
    const list = join(fixture.folder, 'list.csv');
    const before = fixture.simulator.events().at(-1)?.seq ?? 0;
    const id = await importTemplate(on, 'bulk-upload-folder.json', {
      parameters: {
        'Read the folder': { fileSelector: join(fixture.folder, 'incoming', '*') },
        'Write the list': { fileName: list },
      },
    });
    const execution = await runWorkflow(n8n.rest, id);
    expect(execution.error).toBeUndefined();
    const runs = (node: string): number | undefined => execution.runData[node]?.length;
    expect(['Send', 'Make the list', 'Write the list'].map(runs)).toEqual([2, 1, 1]);
    const rows = parse<Record<string, string>>(await readFile(list), { bom: true, columns: true });
    expect(rows.map(({ file, result }) => [file, result]).sort()).toEqual([
      ...files.map((file) => [file, 'COMPLETED']),
      ['notes.xyz', 'FAILED'],
    ]);
    expect(rows.find(({ file }) => file === 'notes.xyz')?.['reason']).toContain(
      'is XYZ, which the service does not accept',
    );
    const order = fixture.simulator.events().filter(({ seq }) => seq > before);
    const started = order.filter(({ event }) => event === 'started');
    const ended = order.filter(({ event }) => event === 'session-ended');
    expect(started).toHaveLength(5);
    expect(started[3]?.seq).toBeGreaterThan(ended[2]?.seq ?? 0);
  });

  describe('upload-url-and-wait', () => {
    const FILE = 'upload-url-and-wait.json';
    const run = async (values: Readonly<Record<string, string>>): Promise<Execution> => {
      const parameters = { 'The file': await withValues(FILE, 'The file', values) };
      return runWorkflow(on.n8n.rest, await importTemplate(on, FILE, { parameters }));
    };

    test('stores the file byte for byte with its order as a tag, and sends it to the first output', async () => {
      const { fixture } = on;
      const file = await fixture.writeFile('kitchen-after.mp4', 6);
      const { url } = await fixture.serveFile(file.path);
      const execution = await run({ url, title: 'Kitchen, after', order: 'order-4711' });
      const uploaded = execution.output('Uploaded')[0]?.json;
      expect(uploaded).toMatchObject({ status: 'COMPLETED', title: 'Kitchen, after' });
      expect(await fixture.storedSha256(uploaded?.['uploadId'])).toBe(file.sha256);
      const session = fixture.simulator
        .seen()
        .sessions.find(({ uploadId }) => uploadId === uploaded?.['uploadId']);
      expect(session).toMatchObject({ title: 'Kitchen, after', tags: { order: 'order-4711' } });
    });

    test("sends what can't be uploaded to the second output, with its order, the reason and what to do", async () => {
      const execution = await run({ url: 'not an address', title: 'x', order: 'order-0' });
      expect([execution.status, execution.output('Uploaded')]).toEqual(['success', []]);
      expect(execution.output('Failed')[0]?.json).toMatchObject({
        order: 'order-0',
        error: expect.stringMatching(/"URL" must start with http/),
        details: { hint: expect.any(String) },
      });
    });
  });
}
