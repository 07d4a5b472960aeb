import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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
});
