/**
 * One n8n, locked down, for everything that is seen through its REST interface; each file beside this one is a part of
 * it.
 */
import { secretsKept } from '../support/kept-by-n8n';
import { useStage } from '../support/n8n-stage';
import { SECRET_TRACES } from '../support/service-fixture';
import { describeRestarts } from './restarts';
import { describeSecrets } from './secrets';
import { GIVEN_OUT } from './support/talkative-service';
import { describeUploads } from './uploads';
import { describeWaits } from './waits';

const on = useStage({
  env: ({ folder }) => ({
    N8N_LOG_LEVEL: 'debug',
    N8N_CONCURRENCY_PRODUCTION_LIMIT: '2',
    N8N_SSRF_PROTECTION_ENABLED: 'true',
    N8N_SSRF_ALLOWED_IP_RANGES: '127.0.0.1/32',
    N8N_BLOCK_ENV_ACCESS_IN_NODE: 'true',
    N8N_RESTRICT_FILE_ACCESS_TO: folder,
    N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem',
  }),
});
afterEach(() => {
  on.stage.fixture.simulator.clearFaults();
  on.stage.fixture.simulator.release();
});

describeUploads(on);
describeSecrets(on);
describeWaits(on);
describeRestarts(on);

test('after all of this n8n holds no secret in its database, log or files', async () => {
  const { n8n } = on.stage;
  // The same search finds what n8n does keep: the title of an upload, and its message at the start.
  const found = await secretsKept(n8n, ['cut off', 'Editor is now accessible']);
  expect(found.map((file) => file.replace(/(?:-wal)?:.*/, ''))).toEqual(
    expect.arrayContaining(['the log', 'database.sqlite']),
  );
  expect(await secretsKept(n8n, [...SECRET_TRACES, ...Object.values(GIVEN_OUT)])).toEqual([]);
});
