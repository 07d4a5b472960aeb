/**
 * An n8n with our package, the service that it uses and its two credentials: everything that a test file needs.
 *
 *     const on = useStage();                                   // beforeAll and afterAll of the file
 *     const items = await on.run({ resource: 'media', operation: 'search', limit: 5 });
 *     expect(await on.fixture.storedSha256(items[0]?.json['uploadId'])).toBe(file.sha256);
 *
 * Its parts can also be used separately: `startN8n` (start-n8n.ts), `openServiceFixture` (service-fixture.ts), and the
 * functions for n8n's REST interface (n8n-executions.ts).
 */
import { CleanUp } from '../../support/clean-up';
import { createTempDir } from '../../support/temp-dir';
import type { INode, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import type { SimulatorOptions } from '../../../simulator/options';
import type { Simulator } from '../../../simulator/start-simulator';
import { useOpened } from '../../n8n/support/use-opened';
import { createCredential, importWorkflow, runWorkflow } from './n8n-executions';
import type { WorkflowFile } from './n8n-executions';
import { openServiceFixture } from './service-fixture';
import type { ServiceFixture } from './service-fixture';
import { startN8n } from './start-n8n';
import type { N8nOptions, RunningN8n } from './start-n8n';

/** The type of our node as n8n names it after the package is installed. */
export const NODE_TYPE = 'n8n-nodes-media-service.mediaService';
export const NODE_NAME = 'Media Service';

type Environment = NonNullable<N8nOptions['env']>;

export interface StageOptions extends Omit<N8nOptions, 'env' | 'userFolder'> {
  /** As in `startN8n`. What it starts is closed with the stage. */
  readonly env?: (fixture: ServiceFixture, cleanUp: CleanUp) => Environment | Promise<Environment>;
  readonly simulator?: SimulatorOptions;
}

/** What n8n stored for each credential, by type, in the form of a node's `credentials`. */
export type StoredCredentials = Readonly<Record<string, { readonly id: string; readonly name: string }>>;

export interface NodeRun {
  /** Default: one empty item. */
  readonly items?: readonly INodeExecutionData[];
  readonly credentials?: StoredCredentials;
}

export interface Stage {
  /** After a restart, its log begins with that of the earlier ones. */
  readonly n8n: RunningN8n;
  readonly fixture: ServiceFixture;
  readonly simulator: Simulator;
  /** As n8n stores them: `mediaServiceApi` and `mediaServiceWorkerApi`. */
  readonly credentials: StoredCredentials;
  /** Only that of the service, so that uploads run inside n8n. */
  readonly withoutTemporal: StoredCredentials;
  /** Runs only our node, through the REST interface to its end, and returns its output. */
  run(parameters: INodeParameters): Promise<INodeExecutionData[]>;
  /** Imports a workflow and sets its credentials to ours by type. Returns its ID. */
  import(workflow: WorkflowFile): Promise<string>;
  /** Ends n8n, by the signal if one is given, and starts it on what it left. `meanwhile` happens while it is down. */
  restart(meanwhile?: () => unknown, signal?: NodeJS.Signals): Promise<void>;
  /** What is closed with the stage, in reverse order. */
  readonly cleanUp: CleanUp;
  close(): Promise<void>;
}

/** A stage for all tests of a file. */
export const useStage = (options: StageOptions = {}): Stage => useOpened(() => openStage(options));

export async function openStage({ simulator, env, ...options }: StageOptions): Promise<Stage> {
  const cleanUp = new CleanUp();
  return cleanUp.orUndo(async () => {
    const fixture = await openServiceFixture(simulator);
    cleanUp.add(() => fixture.close());
    const home = await createTempDir('n8n');
    cleanUp.add(() => home.remove());
    const more = await env?.(fixture, cleanUp);
    const start = (kept: Readonly<Record<string, string>> = {}): Promise<RunningN8n> =>
      startN8n({ ...options, userFolder: home.path, env: { ...more, ...kept } });
    let n8n = await start();
    cleanUp.add(() => n8n.stop());
    const credentials = await storeCredentials(n8n, fixture);
    const { mediaServiceWorkerApi: _temporal, ...withoutTemporal } = credentials;
    return {
      get n8n() {
        return n8n;
      },
      fixture,
      simulator: fixture.simulator,
      credentials,
      withoutTemporal,
      async restart(meanwhile = () => undefined, signal) {
        const earlier = n8n;
        if (signal === undefined) await earlier.stop();
        else await earlier.process.kill(signal);
        await meanwhile();
        // At the same address: n8n has given it to others.
        const { N8N_PORT = '' } = earlier.env;
        const fresh = await start({ N8N_PORT });
        const log = (): string => earlier.process.log() + fresh.process.log();
        n8n = { ...fresh, process: { ...fresh.process, log } };
      },
      async run(parameters) {
        const id = await importWorkflow(n8n.rest, workflowOf(parameters, { credentials }));
        return (await runWorkflow(n8n.rest, id)).output(NODE_NAME);
      },
      import: (workflow) => importWorkflow(n8n.rest, workflow, credentials),
      cleanUp,
      close: () => cleanUp.run(),
    };
  });
}

async function storeCredentials({ rest }: RunningN8n, fixture: ServiceFixture): Promise<StoredCredentials> {
  const stored: Record<string, { id: string; name: string }> = {};
  for (const [type, data] of Object.entries(fixture.credentials))
    stored[type] = await createCredential(rest, { name: type, type, data });
  return stored;
}

/** A manual trigger called Start that returns the items, then our node. */
export function workflowOf(parameters: INodeParameters, { items, credentials = {} }: NodeRun): WorkflowFile {
  const start = nodeOf('Start', 'n8n-nodes-base.manualTrigger', {});
  const node: INode = {
    ...nodeOf(NODE_NAME, NODE_TYPE, parameters),
    credentials: { ...credentials },
  };
  return {
    nodes: [start, node],
    connections: { Start: { main: [[{ node: NODE_NAME, type: 'main', index: 0 }]] } },
    ...(items === undefined ? {} : { pinData: { Start: items.map((item) => ({ ...item })) } }),
  };
}

export function nodeOf(name: string, type: string, parameters: INodeParameters): INode {
  return { id: `id-of-${name}`, name, type, typeVersion: 1, position: [0, 0], parameters };
}
