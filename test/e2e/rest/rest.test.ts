/** One n8n for everything that is seen through its REST interface; each file beside this one is a part of it. */
import { afterEach, expect, test } from '@jest/globals';
import { secretsKept } from '../support/kept-by-n8n';
import { useStage } from '../support/n8n-stage';
import { SECRET_TRACES } from '../support/service-fixture';
import { describeBatches } from './batches';
import { describeInstalledPackage } from './installed-package';
import { describeRestarts } from './restarts';
import { describeSearches } from './searches';
import { describeTriggers } from './triggers';
import { describeUploads } from './uploads';
import { describeWaits } from './waits';

const on = useStage({
  withEditor: true,
  env: () => ({ N8N_LOG_LEVEL: 'debug', N8N_CONCURRENCY_PRODUCTION_LIMIT: '2' }),
});
afterEach(() => {
  on.stage.fixture.simulator.clearFaults();
  on.stage.fixture.simulator.release();
});

describeInstalledPackage(on);
describeSearches(on);
// Before every other upload: its first test event is about an n8n that uploaded nothing.
describeTriggers(on);
describeUploads(on);
describeBatches(on);
describeWaits(on);
describeRestarts(on);

test('after all of this n8n holds no secret in its database, log or files', async () => {
  const { n8n } = on.stage;
  // The same search finds what n8n does keep: the title of an upload, and its message at the start.
  const found = await secretsKept(n8n, ['Kitchen, after', 'Editor is now accessible']);
  expect(found.map((file) => file.replace(/(?:-wal)?:.*/, ''))).toEqual(
    expect.arrayContaining(['the log', 'database.sqlite']),
  );
  expect(await secretsKept(n8n, SECRET_TRACES)).toEqual([]);
});
