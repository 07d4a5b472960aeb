/** Draws docs/pictures again: `npm run pictures`. Each picture shows a finished screen of n8n's editor. */
import { mkdir, readFile, readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import type { Locator, Page } from 'playwright-core';
import { CredentialDialog } from '../e2e/editor/support/credential-dialog';
import { NodeView } from '../e2e/editor/support/node-view';
import { useEditor } from '../e2e/editor/support/use-editor';
import { showWorkflow, sideBySide } from '../e2e/editor/support/workflows';
import type { WorkflowFile } from '../e2e/support/n8n-executions';
import { NODE_TYPE, nodeOf } from '../e2e/support/n8n-stage';

const ROOT = resolve(__dirname, '..', '..');
const PICTURES = join(ROOT, 'docs', 'pictures');
const WORKFLOWS = join(ROOT, 'workflows');
/** The content of an uploaded file. */
const KITCHEN = Buffer.alloc(64 * 1024, 'kitchen').toString('base64');
const NAMES = { mediaServiceApi: 'Demo studio', mediaServiceWorkerApi: 'Worker' };
const on = useEditor();

beforeAll(
  on.screen(async ({ stage }) => {
    for (const type of ['mediaServiceApi', 'mediaServiceWorkerApi'] as const) {
      const stored = stage.credentials[type];
      const body = { name: NAMES[type], type, data: stage.fixture.credentials[type] };
      await stage.n8n.rest.request('PATCH', `/credentials/${stored?.id ?? ''}`, body);
    }
  }),
);

test(
  'picture of the tested credential',
  on.screen(async ({ page, stage }) => {
    const dialog = await CredentialDialog.create(page, 'Media Service API');
    await dialog.fill(stage.fixture.credentials.mediaServiceApi);
    await dialog.save();
    await dialog.connection.getByText('Connection tested successfully').waitFor();
    await draw(page, 'credential-tested');
  }),
);

test(
  'picture of the node in the nodes panel',
  on.screen(async ({ page, stage }) => {
    await showWorkflow(page, await stage.import(sideBySide(stage, [])));
    await page.getByTestId('node-creator-plus-button').click();
    await page.getByTestId('node-creator-search-bar').fill('video upload');
    const found = page.getByTestId('node-creator-item-name');
    await found.getByText('Media Service', { exact: true }).first().click();
    await page.getByText('Node details').waitFor();
    await draw(page, 'nodes-panel');
  }),
);

test.each([
  ['Search media', 'media-search', { searchTerm: 'drone' }],
  [
    'Failure report',
    'report-form',
    { resource: 'webhookDelivery', operation: 'report', period: 'last7Days' },
  ],
])(
  'picture of the form %s with its output',
  on.screen(async ({ page, stage }, name: string, picture: string, parameters: INodeParameters) => {
    stage.simulator.addDelivery({ status: 'FAILED' });
    await showWorkflow(page, await stage.import(sideBySide(stage, [{ name, parameters }])));
    const view = await NodeView.open(page, name);
    await view.execute();
    await view.items();
    await draw(page, picture);
  }),
);

test(
  'picture of the upload form and a finished upload',
  on.screen(async ({ page, stage }) => {
    const about = { title: 'Kitchen, after', ingestKey: 'order-4711' };
    const parameters = { resource: 'upload', operation: 'upload', ...about };
    const form = { ...parameters, source: 'url', url: 'https://files.example.com/kitchen-after.mp4' };
    const onWorker = { ...form, runIn: 'worker' };
    const nodes = [
      { name: 'Upload by URL', parameters: form },
      { name: 'Upload on a worker', parameters: onWorker, credentials: stage.credentials },
      { name: 'Upload a file', parameters },
    ];
    const data = { data: KITCHEN, mimeType: 'video/mp4', fileName: 'kitchen-after.mp4' };
    const pinData = { Start: [{ json: { orderId: 4711 }, binary: { data } }] };
    await showWorkflow(page, await stage.import({ ...sideBySide(stage, nodes), pinData }));
    const open = await NodeView.open(page, 'Upload by URL');
    await draw(page, 'upload-form');
    await open.close();
    const worker = await NodeView.open(page, 'Upload on a worker');
    await draw(page, 'upload-on-worker');
    await worker.close();
    const view = await NodeView.open(page, 'Upload a file');
    await view.execute();
    await view.items();
    await view.output.getByTestId('radio-button-schema').click();
    await draw(page, 'upload-finished');
  }),
);

test(
  'picture of the trigger with a test event',
  on.screen(async ({ page, stage }) => {
    stage.simulator.addDelivery({ status: 'FAILED' });
    const trigger = nodeOf('Trigger', `${NODE_TYPE}Trigger`, { event: 'deliveryFailed' });
    const nodes = [{ ...trigger, credentials: stage.withoutTemporal }];
    await showWorkflow(page, await stage.import({ nodes, connections: {} }));
    const view = await NodeView.open(page, 'Trigger');
    await view.execute();
    await view.items();
    // The number of items appears before the items, and before the trigger stops listening.
    await view.output.getByText('eventType', { exact: true }).waitFor();
    await view.root.getByTestId('node-execute-button').getByText('Fetch Test Event').waitFor();
    await draw(page, 'trigger-event');
  }),
);

test(
  'picture of the canvas of every workflow to import',
  on.screen(async ({ page, stage }) => {
    const files = (await readdir(WORKFLOWS)).filter((name) => name.endsWith('.json'));
    for (const name of files) {
      const workflow = JSON.parse(await readFile(join(WORKFLOWS, name), 'utf8')) as WorkflowFile;
      await showWorkflow(page, await stage.import(workflow));
      await page.getByTestId('zoom-to-fit').click();
      await draw(page, `workflow-${basename(name, '.json')}`, page.getByTestId('canvas-wrapper'));
    }
    expect(files.length).toBeGreaterThan(0);
  }),
);

/** Left out: notices that come and go, buttons of the editor, and the prompt to choose credentials. */
const LEFT_OUT = [
  '.el-notification',
  '[data-test-id="canvas-controls"]',
  '[data-test-id="node-issues"]',
  '[data-test-id="command-bar-button"]',
  '[data-test-id="add-sticky-button"]',
  '[data-test-id="toggle-focus-panel-button"]',
  ':has(> [role="radiogroup"] [data-test-id="radio-button-executions"])',
];
const CALM = `${LEFT_OUT.join(', ')} { visibility: hidden !important }`;

async function draw(page: Page, name: string, what: Page | Locator = page): Promise<void> {
  await mkdir(PICTURES, { recursive: true });
  await page.mouse.move(0, 0);
  await what.screenshot({ path: join(PICTURES, `${name}.png`), animations: 'disabled', style: CALM });
}
