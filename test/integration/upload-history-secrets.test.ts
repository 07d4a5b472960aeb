import { leaksIn } from '../support/canary';
import { readableTexts, recordedHistory } from '../support/recorded-history';
import { describedTexts } from '../support/stored-texts';
import { HELD, useUploadFixture } from '../support/upload-fixture';
import { until } from '../support/until';

const account = { apiKey: 'api-key-canary', secretKey: 'secret-key-canary' };
/** Words that make a pre-signed URL usable, and our test secrets. */
const SECRETS = ['X-Amz-Signature', 'X-Amz-Credential', ...Object.values(account), 'source-url-canary'];

/** A heartbeat of a run with a part whose URL was renewed contains the new URL, sealed. */
const RENEWED_URL = /"urls":\[\{"partNumber":3,.*"sealed":/;

describe('what Temporal stores of an upload', () => {
  const on = useUploadFixture({ simulator: { account } });

  it('holds no secret and no usable URL: history, memo, summary, heartbeats and failures', async () => {
    const { fixture } = on;
    fixture.simulator.fault('put-403-expired:1:part=1');
    fixture.simulator.fault('put-503:1:part=2,seconds=1');
    fixture.simulator.fault('put-403-expired:1:part=3');
    fixture.simulator.fault('hold:part=3');
    const file = await fixture.writeFile('film.mp4', 3);
    const source = await fixture.serveFile(file.path, 'token=source-url-canary');
    const options = { ...HELD, concurrency: 1 };
    const handle = await fixture.start('', { source, options });
    await fixture.simulator.waitFor(({ event }) => event === 'held');
    const running = await until(
      'the heartbeat shows an outcome, and the new URL of the part that is held',
      () => describedTexts(fixture.connection, handle.workflowId),
      (text) => text.includes('"eTag"') && RENEWED_URL.test(text),
    );
    fixture.simulator.release();
    await handle.result();
    const ended = await describedTexts(fixture.connection, handle.workflowId);
    const history = readableTexts(await recordedHistory(fixture.connection, handle.workflowId));
    expect(history).toContain('film.mp4');
    expect(history).toContain('"keyId"');
    expect(leaksIn(Object.entries({ running, ended, history }), SECRETS)).toEqual({});
  });

  it('holds no secret after a failure either', async () => {
    const { fixture } = on;
    fixture.simulator.fault('put-403-denied:always');
    const file = await fixture.writeFile('denied.mp4', 1);
    const handle = await fixture.start(file.path);
    const error: unknown = await handle.result().catch((reason: unknown) => reason);
    fixture.simulator.clearFaults();
    expect(error).toMatchObject({ code: 'StorageRefused' });
    const shown = JSON.stringify([error, error instanceof Error ? [error.message, error.stack] : []]);
    const history = readableTexts(await recordedHistory(fixture.connection, handle.workflowId));
    const described = await describedTexts(fixture.connection, handle.workflowId);
    expect(history).toContain('denied.mp4');
    expect(described).toContain(handle.workflowId);
    expect(leaksIn(Object.entries({ shown, history, described }), SECRETS)).toEqual({});
  });
});
