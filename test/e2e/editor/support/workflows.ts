import type { INode, INodeParameters } from 'n8n-workflow';
import type { Page } from 'playwright-core';
import type { WorkflowFile } from '../../support/n8n-executions';
import { NODE_TYPE, nodeOf } from '../../support/n8n-stage';
import type { Stage, StoredCredentials } from '../../support/n8n-stage';

const NODE_DISTANCE = 160;

export interface CanvasNode {
  readonly name: string;
  readonly parameters: INodeParameters;
  /** Default: only the credential of the service. */
  readonly credentials?: StoredCredentials;
}

/** A workflow of our nodes, all connected to a manual trigger called Start. */
export function sideBySide(stage: Stage, nodes: readonly CanvasNode[]): WorkflowFile {
  return {
    nodes: [
      nodeOf('Start', 'n8n-nodes-base.manualTrigger', {}),
      ...nodes.map(({ name, parameters, credentials = stage.withoutTemporal }, index): INode => ({
        ...nodeOf(name, NODE_TYPE, parameters),
        position: [2 * NODE_DISTANCE, index * NODE_DISTANCE],
        credentials: { ...credentials },
      })),
    ],
    // Without it the editor of n8n 2.41 can't run a second step.
    pinData: {},
    connections: {
      Start: { main: [nodes.map(({ name }) => ({ node: name, type: 'main', index: 0 }))] },
    },
  };
}

/** Opens a workflow on the canvas. */
export async function showWorkflow(page: Page, id: string): Promise<void> {
  await page.goto(`/workflow/${id}`, { waitUntil: 'commit' });
  await page.getByTestId('canvas-node').first().waitFor();
}
