import { expect, test } from '@jest/globals';
import { asText } from './support/as-text';
import { credentialOf } from './support/credential';
import { useN8nUploadSetting } from './support/n8n-upload-setting';
import { hintTexts } from './support/run-workflow';
import { HOST, useUploadSetting } from './support/upload-setting';

/**
 * 120 MiB need 25 s at a plausible rate. That is longer than URLs live here, but on loopback the upload is much faster.
 */
const URLS = { urlTtlMs: 20_000 };
const FILE_MIB = 120;
const WARNING = /^long\.mp4: The pre-signed URLs expire in \d+ s; .* ask the operator of the service/;

const inN8n = useN8nUploadSetting(URLS);
const onWorker = useUploadSetting(URLS);

test('n8n warns about URLs that expire too soon after its own upload', async () => {
  const file = await inN8n.writeFile('long.mp4', FILE_MIB);
  const data = await inN8n.storeBinary(file, 'filesystem', { fileName: 'long.mp4' });
  const run = await inN8n.run(
    { operation: 'upload', source: 'binary' },
    {
      items: [{ json: {}, binary: { data } }],
      credentials: { mediaServiceApi: credentialOf(inN8n.simulator) },
    },
  );
  expect(run.error).toBeUndefined();
  expect(hintTexts(run)).toEqual([expect.stringMatching(WARNING)]);
  expect(run.items[0]?.json['warning']).toMatch(/^The pre-signed URLs expire in/);
});

test('n8n warns about URLs that expire too soon after an upload on a worker, and again after Wait', async () => {
  const { path } = await onWorker.writeFile('long.mp4', FILE_MIB);
  const run = await onWorker.run({ operation: 'upload', source: 'path', path, host: HOST });
  expect(run.error).toBeUndefined();
  expect(hintTexts(run)).toEqual([expect.stringMatching(WARNING)]);
  const workflowId = asText(run.items[0]?.json['workflowId']);
  expect(hintTexts(await onWorker.run({ operation: 'wait', workflowId }))).toEqual([
    expect.stringMatching(WARNING),
  ]);
});
