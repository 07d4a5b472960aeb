import { describe, expect, it } from '@jest/globals';
import type { UploadActivities } from '../../temporal/activities/create-activities';
import { partUrlPurpose, seal, sealKeysOf, unseal } from '../../temporal/seal';
import { secretsIn } from '../support/canary';
import { readableTexts, recordedHistory } from '../support/recorded-history';
import { describedTexts } from '../support/stored-texts';
import { HELD, useUploadBed } from '../support/upload-bed';
import type { UploadBed } from '../support/upload-bed';

const CANARIES = ['api-key-canary', 'secret-key-canary', 'source-url-canary'];
/** Words that make a pre-signed URL usable, and our canaries. */
const SECRETS = ['X-Amz-Signature', 'X-Amz-Credential', ...CANARIES];
/** A JSON web token: the simulator's access tokens. */
const TOKEN = /eyJ[\w-]+\.[\w-]+/;

const account = { apiKey: 'api-key-canary', secretKey: 'secret-key-canary' };

describe('what Temporal stores of an upload', () => {
  const on = useUploadBed({ simulator: { account } });

  it('holds no secret and no usable URL: history, memo, summary, heartbeats and failures', async () => {
    const { bed } = on;
    bed.simulator.fault('put-403-expired:1:part=1');
    bed.simulator.fault('put-503:1:part=2,seconds=1');
    bed.simulator.fault('hold:part=3');
    const file = await bed.writeFile('film.mp4', 3);
    const source = await bed.serveFile(file.path, 'token=source-url-canary');
    const options = { ...HELD, concurrency: 1 };
    const handle = await bed.start('', { source, options });
    await bed.simulator.waitFor(({ event }) => event === 'held');
    // Outcomes and fresh URLs of the group have reached the server.
    let running = '';
    while (!running.includes('"eTag"')) {
      running = await describedTexts(bed.connection, handle.workflowId);
    }
    bed.simulator.release();
    await handle.result();
    const ended = await describedTexts(bed.connection, handle.workflowId);
    const history = readableTexts(await recordedHistory(bed.connection, handle.workflowId));
    expect(history).toContain('film.mp4');
    expect(history).toContain('"keyId"');
    for (const text of [running, ended, history]) {
      expect(secretsIn(text, SECRETS)).toEqual([]);
      expect(text).not.toMatch(TOKEN);
    }
  });

  it('holds none after a failure either', async () => {
    const { bed } = on;
    bed.simulator.fault('put-403-denied:always');
    const file = await bed.writeFile('denied.mp4', 1);
    const handle = await bed.start(file.path);
    const error: unknown = await handle.result().catch((reason: unknown) => reason);
    bed.simulator.clearFaults();
    const shown = JSON.stringify([error, error instanceof Error ? [error.message, error.stack] : []]);
    const history = readableTexts(await recordedHistory(bed.connection, handle.workflowId));
    for (const text of [shown, history, await describedTexts(bed.connection, handle.workflowId)]) {
      expect(secretsIn(text, SECRETS)).toEqual([]);
      expect(text).not.toMatch(TOKEN);
    }
  });
});

describe('the search for secrets', () => {
  const on = useUploadBed({ worker: false });

  it('finds URLs that were not sealed, and the canaries that an activity leaks', async () => {
    const { bed } = on;
    await bed.startBareWorker({ change: unsealed(bed) });
    const file = await bed.writeFile('film.mp4', 1);
    const handle = await bed.start(file.path);
    await handle.result();
    const history = readableTexts(await recordedHistory(bed.connection, handle.workflowId));
    expect(secretsIn(history, SECRETS)).toEqual(SECRETS);
    expect(history).toMatch(TOKEN);
  });
});

/** Like ours, but URLs pass through the history as they are, and each session carries the canaries and a token. */
function unsealed({
  account: { secretKey },
}: UploadBed): (ours: UploadActivities) => Partial<UploadActivities> {
  const key = sealKeysOf(secretKey);
  return (ours) => ({
    async startSessions(group) {
      const outcomes = await ours.startSessions(group);
      return outcomes.map((outcome) => {
        if (outcome === null || !('value' in outcome)) return outcome;
        const { value: session } = outcome;
        const urls = session.urls.map((one) => {
          const plain = unseal(key, one.url, partUrlPurpose(session.uploadId, one.partNumber));
          return { ...one, url: { keyId: 'none', sealed: plain } };
        });
        const leaked = { ...session, urls, leaked: [...CANARIES, 'eyJhbGciOiJub25lIn0.canary'] };
        return { value: leaked };
      });
    },
    sendParts({ inputs, ...group }) {
      const resealed = inputs.map(({ input, ...more }) => {
        const { url, uploadId, partNumber } = input;
        const sealed = seal(key, url?.url.sealed ?? '', partUrlPurpose(uploadId, partNumber));
        return { ...more, input: { ...input, url: { partNumber, url: sealed } } };
      });
      return ours.sendParts({ ...group, inputs: resealed });
    },
  });
}
