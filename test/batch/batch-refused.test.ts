import { EventEmitter, once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { batchWorkflowId } from '../../temporal/batch/ids';
import { batchFolder, startRows, writeRows } from '../support/batch-fixture';
import { listen, type Listening } from '../support/listen';
import { answerRange } from '../support/range-server';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();

/** Serves a manifest that arrives only after the gate opens. */
const gate = new EventEmitter();
const opened = once(gate, 'open');
const asked = once(gate, 'asked');
let manifest = '';
let server: Listening;
beforeAll(async () => {
  server = await listen(
    createServer((request, response) => {
      gate.emit('asked');
      void opened.then(() => answerRange(Buffer.from(manifest), request, response));
    }),
  );
});
afterAll(() => server.close());

describe('a folder that two batches use', () => {
  it('belongs to the batch that came first, even while its manifest is read; the other is refused and uploads nothing', async () => {
    const { fixture } = on;
    const rows = await writeRows(fixture, 'first', 2);
    manifest = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    const first = await startRows(fixture, 'first', [], {
      manifest: { source: { kind: 'http', url: `${server.url}/films.jsonl`, label: '' }, format: 'jsonl' },
    });
    await asked;
    const others = await writeRows(fixture, 'second', 2);
    const folder = { kind: 'path', path: batchFolder(fixture, 'first') } as const;
    const second = await startRows(fixture, 'second', others, { folder });
    const refused = second.result();
    await expect(refused).rejects.toMatchObject({
      code: 'InputDiffers',
      message: expect.stringContaining(`belongs to the batch first of the account ${fixture.accountId}`),
    });
    gate.emit('open');
    expect((await first.result()).counts).toMatchObject({ rows: 2, completed: 2 });
    expect(fixture.simulator.seen().sessions.map(({ title }) => title)).not.toContain('Film second-0');
  });

  it('is free again when the manifest of the first batch was refused', async () => {
    const { fixture } = on;
    const path = batchFolder(fixture, 'shared');
    const folder = { kind: 'path', path } as const;
    const list = join(fixture.folder, 'wrong.jsonl');
    await writeFile(list, '{"id":"a","source":""}\n');
    const source = { kind: 'path', path: list } as const;
    const wrong = await startRows(fixture, 'wrong', [], { folder, manifest: { source, format: 'jsonl' } });
    await expect(wrong.result()).rejects.toMatchObject({ code: 'Validation' });
    const right = await startRows(fixture, 'right', await writeRows(fixture, 'right', 1), { folder });
    expect((await right.result()).counts).toMatchObject({ completed: 1 });
    expect(JSON.parse(await readFile(join(path, 'plan.json'), 'utf8'))).toMatchObject({ batchId: 'right' });
  });
});

it('a batch is refused before anything starts if it names a secret that no worker knows', async () => {
  const { fixture } = on;
  const { starts } = fixture.simulator.seen();
  const rows = [{ id: 'a', source: 'http://127.0.0.1:1/a.mp4' }];
  const batch = await startRows(fixture, 'unread', rows, { options: { sourceSecret: 'nosuch' } });
  await expect(batch.result()).rejects.toMatchObject({
    code: 'Configuration',
    message: expect.stringContaining('"nosuch"'),
  });
  expect(fixture.simulator.seen().starts).toBe(starts);
});

it('rows that the plan would refuse are refused before they are sent', async () => {
  const { fixture } = on;
  const rows = [{ id: 'a', url: 'https://files.example/a.mp4?X-Amz-Signature=hush' }];
  await expect(startRows(fixture, 'unsent', rows)).rejects.toMatchObject({
    code: 'Validation',
    message: expect.stringContaining('line 1, url: the field url is not known'),
  });
  const { client } = fixture.connection;
  const unsent = client.workflow.getHandle(batchWorkflowId(fixture.accountId, 'unsent'));
  await expect(unsent.describe()).rejects.toMatchObject({ name: 'WorkflowNotFoundError' });
});
