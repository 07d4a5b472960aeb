import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startTestGateway } from '../support/gateway-fixture';
import type { GatewayAnswer, TestGateway } from '../support/gateway-fixture';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway(on.fixture);
});
afterAll(() => gateway.stop());

describe('a batch over HTTP', () => {
  it('is started with rows, awaited, its results are a stream, and its failed rows are retried', async () => {
    const { fixture } = on;
    const { path } = await fixture.writeFile('row.mp4', 0.1);
    const rows = [
      { id: 'good', source: path },
      { id: 'bad', source: join(fixture.folder, 'none.mp4') },
    ];
    const folder = join(fixture.folder, 'results');
    const started = await gateway.ask('/v1/batches', { body: { rows, batchId: 'two', folder } });
    expect(started).toMatchObject({ status: 201, json: { joined: false, warnings: [] } });
    expect(await gateway.ask('/v1/batches/two?wait=60')).toMatchObject({
      status: 200,
      json: { status: 'COMPLETED', batchId: 'two', result: { counts: { completed: 1, failed: 1 } } },
    });
    const all = await gateway.ask('/v1/batches/two/results');
    expect(all.headers.get('content-type')).toContain('application/x-ndjson');
    const lines = all.text
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(lines).toMatchObject([
      { id: 'good', status: 'COMPLETED', mediaId: expect.any(String) },
      { id: 'bad', status: 'FAILED', error: { code: 'SourceMissing', hint: expect.any(String) } },
    ]);
    const failed = await gateway.ask('/v1/batches/two/results?status=FAILED&format=csv');
    expect(failed.text).toMatch(/^line,id,source,status,.*\r?\n2,bad,/);
    expect(await readFile(join(folder, 'results.jsonl'), 'utf8')).toContain('"good"');
    await fixture.writeFile('none.mp4', 0.1);
    expect(await gateway.ask('/v1/batches/two/retry', { method: 'POST' })).toMatchObject({ status: 202 });
    expect(await gateway.ask('/v1/batches/two?wait=60')).toMatchObject({
      json: { result: { counts: { completed: 2, failed: 0 } } },
    });
    await gateway.askUntil('/v1/batches?limit=5', ({ text }) => text.includes('"batchId":"two"'));
  });

  it('answers with the rows that a worker read, or with why it refused them; its end is listed with that', async () => {
    const { fixture } = on;
    const { path } = await fixture.writeFile('planned.mp4', 0.1);
    const folder = join(fixture.folder, 'planned');
    const body = { rows: [{ id: '1', source: path }], batchId: 'planned', folder };
    expect(await gateway.ask('/v1/batches?plan=true', { body })).toMatchObject({
      status: 201,
      json: { rows: 1, batchId: 'planned', folder },
    });
    const manifest = join(fixture.folder, 'wrong.csv');
    await writeFile(manifest, 'source,tilte\n/x.mp4,x\n');
    const wrong = { manifest, batchId: 'wrong', folder: join(fixture.folder, 'wrong') };
    expect(await gateway.ask('/v1/batches?plan=true', { body: wrong })).toMatchObject({
      status: 400,
      json: { error: { code: 'Validation', message: expect.stringContaining('line 1, tilte') } },
    });
    const isListed = ({ text }: GatewayAnswer): boolean => text.includes('"batchId":"wrong"');
    const listed = await gateway.askUntil('/v1/batches?endedFrom=-1h', isListed);
    expect(listed.json['items']).toContainEqual(
      expect.objectContaining({
        batchId: 'wrong',
        status: 'FAILED',
        error: expect.objectContaining({ code: 'Validation', hint: expect.any(String) }),
      }),
    );
  });

  it('in a folder of another machine shows no results, and says what a gateway needs', async () => {
    const { fixture } = on;
    const { path } = await fixture.writeFile('other.mp4', 0.1);
    const alone = await startTestGateway(fixture, { worker: { host: 'other', roots: [], outputRoots: [] } });
    const folder = join(fixture.folder, 'far');
    const body = { rows: [{ id: '1', source: path }], batchId: 'far', folder };
    await gateway.ask('/v1/batches', { body });
    await gateway.ask('/v1/batches/far?wait=60');
    expect(await alone.ask('/v1/batches/far/results')).toMatchObject({
      status: 409,
      json: { error: { code: 'SourceNotAllowed', hint: expect.stringContaining('s3://') } },
    });
    await alone.stop();
  });
});
