import { WebhookContext, WorkflowExecute } from 'n8n-core';
import type {
  INodeExecutionData,
  IRun,
  IWebhookData,
  IWebhookFunctions,
  IWebhookResponseData,
} from 'n8n-workflow';
import { MediaService } from '../../../nodes/MediaService/MediaService.node';
import type { FinishedRun } from './run-workflow';

/**
 * What n8n's server does with a post to the resume URL (its code is not published separately): the data comes from the
 * database, and the node's `webhook()` answers. Without a new output the execution rests on.
 */
export async function postTo(
  { run, workflow, additionalData }: FinishedRun,
  body: object,
): Promise<{ readonly status: number; readonly output: IWebhookResponseData['workflowData'] }> {
  const node = workflow.getNode('Media Service');
  if (node === null) throw new Error('The workflow does not have our node.');
  let status = 200;
  const response = { status: (code: number) => ((status = code), response), json: () => response };
  const context = new WebhookContext(
    workflow,
    node,
    {
      ...additionalData,
      httpRequest: { body } as never,
      httpResponse: response as never,
    },
    run.mode,
    {} as IWebhookData,
    [],
    JSON.parse(JSON.stringify(run.data)) as IRun['data'],
  );
  const { workflowData } = await new MediaService().webhook.call(context as IWebhookFunctions);
  return { status, output: workflowData };
}

/** n8n's own end of a rest by time. Returns the items of our node. */
export async function restEnds({
  run,
  workflow,
  additionalData,
}: FinishedRun): Promise<INodeExecutionData[]> {
  const data = JSON.parse(JSON.stringify(run.data)) as IRun['data'];
  const ended = await new WorkflowExecute(additionalData, run.mode, data).processRunExecutionData(workflow);
  return ended.data.resultData.runData['Media Service']?.[0]?.data?.['main']?.[0] ?? [];
}
