import { expect, test } from '@jest/globals';
import { useStage } from '../support/n8n-stage';

const on = useStage();

test('thin', async () => {
  const { items, error } = await on.stage.run(
    { resource: 'media', operation: 'search', limit: 5 },
    { items: [{ json: { a: 1 } }, { json: {} }] },
  );
  expect(error).toBeUndefined();
  expect(items).toHaveLength(10);
  const file = await on.stage.bed.writeFile('a.mp4', 6);
  const up = await on.stage.run({
    resource: 'upload',
    operation: 'upload',
    source: 'path',
    path: file.path,
    host: 'e2e-host',
    title: 't',
  });
  expect(up.error).toBeUndefined();
  console.log(up.items[0]?.json);
  expect(await on.stage.bed.storedSha256(up.items[0]?.json['uploadId'])).toBe(file.sha256);
}, 60_000);
