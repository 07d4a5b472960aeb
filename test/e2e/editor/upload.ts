import { afterAll, test } from '@jest/globals';
import type { INodeParameters } from 'n8n-workflow';
import type { Stage } from '../support/n8n-stage';
import { serveFile } from '../../support/range-server';
import type { RangeServer } from '../../support/range-server';
import { NodeView } from './support/node-view';
import type { EditorTests, Screen } from './support/use-editor';
import { showWorkflow, sideBySide } from './support/workflows';

const NODE = 'Upload';
const PROGRESS = /kitchen\.mp4: uploading \d+ %, part \d of [23]/;
const servers: RangeServer[] = [];

/** Starts an upload of three parts in the node's view. Resolves while its second part is held. */
async function startHeld({ page, stage }: Screen, how: Where): Promise<NodeView> {
  const { simulator } = stage.fixture;
  const last = simulator.events().at(-1)?.seq ?? 0;
  simulator.fault('hold:always:part=2,bytes=1000');
  const file = await stage.fixture.writeFile('kitchen.mp4', 40);
  const server = await serveFile(file.path);
  servers.push(server);
  const parameters: INodeParameters = {
    resource: 'upload',
    operation: 'upload',
    source: 'url',
    url: server.url,
    ...how.parameters,
  };
  const node = { name: NODE, parameters, credentials: how.credentials(stage) };
  await showWorkflow(page, await stage.import(sideBySide(stage, [node])));
  const view = await NodeView.open(page, NODE);
  await view.execute();
  await simulator.waitFor(({ event, seq }) => event === 'held' && seq > last);
  return view;
}

interface Where {
  readonly where: string;
  readonly parameters: INodeParameters;
  readonly credentials: (stage: Stage) => Stage['credentials'];
}

const IN_N8N: Where = {
  where: 'inside n8n',
  parameters: {},
  credentials: ({ credentials: { mediaServiceApi } }) =>
    mediaServiceApi === undefined ? {} : { mediaServiceApi },
};
const BY_WORKER: Where = {
  where: 'on a worker',
  parameters: { runIn: 'worker' },
  credentials: ({ credentials }) => credentials,
};

export function describeUploadConsole(on: EditorTests): void {
  afterAll(() => Promise.all(servers.map((server) => server.close())));

  test.each([IN_N8N, BY_WORKER])(
    'an upload $where shows its progress in the console, and the stop button ends the step, which says so',
    on.screen(async (screen, how: Where) => {
      const reported = screen.page.waitForEvent('console', {
        predicate: (message) => PROGRESS.test(message.text()),
        timeout: 0,
      });
      const view = await startHeld(screen, how);
      await reported;
      await view.stop();
      await screen.page.getByText('Execution stopped', { exact: true }).waitFor();
      await view.root.getByTestId('node-execute-button').getByText('Execute step').waitFor();
    }),
  );
}
