import { Context } from '@temporalio/activity';
import type { ForAccount } from '../../contract/upload';
import type { PageResult } from '../../contract/batch';
import type { ActivityDeps } from '../context/activity-deps';
import { isOpen } from '../../client/control-workflow';
import { describedWorkflow, stillRunning } from './described-workflow';
import { inRetryableActivity } from './in-retryable-activity';

/** `lost`: how the page ended without a result. */
export type AwaitedPage = { readonly result: PageResult } | { readonly lost: string };

/** The page's slots are free only after its end is seen. */
const MAX_DELAY_MS = 5_000;

/** Waits for a page that an earlier run of the root workflow started, as `joinUpload` waits for an upload. */
export function awaitPage(_deps: ActivityDeps) {
  return ({ workflowId }: ForAccount<{ readonly workflowId: string }>): Promise<AwaitedPage> =>
    inRetryableActivity(async () => {
      const { client, info } = Context.current();
      const page = await describedWorkflow(workflowId);
      if (page === undefined) return { lost: 'Temporal knows it no more' };
      if (isOpen(page)) throw stillRunning('The page', info.attempt, MAX_DELAY_MS);
      if (page.status.name !== 'COMPLETED') return { lost: `it ended as ${page.status.name}` };
      const handle = client.workflow.getHandle<() => Promise<PageResult>>(workflowId, page.runId);
      return { result: await handle.result() };
    });
}
