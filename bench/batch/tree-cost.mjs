import { countActions } from '../upload/count-actions.mjs';

/** Starting a child is two actions, but its own history shows only one. */
const CHILD_START_EXTRA = 1;

/**
 * Events, bytes of history and actions of a batch's root and pages, per file. Does not count workflows of large files.
 */
export async function treeCost(client, { batchWorkflowId, files }) {
  const root = { workflows: 0, events: 0, bytes: 0, actions: 0, largest: 0 };
  const pages = { ...root };
  const steps = new Map();
  const query = `WorkflowType STARTS_WITH 'uploadBatch'`;
  for await (const { workflowId, runId } of client.workflow.list({ query })) {
    const handle = client.workflow.getHandle(workflowId, runId);
    if (workflowId === batchWorkflowId) await add(root, handle, 0);
    else if (workflowId.startsWith(`${batchWorkflowId}/`)) await add(pages, handle, CHILD_START_EXTRA, steps);
  }
  const perFile = (field) => (root[field] + pages[field]) / files;
  return {
    root,
    pages,
    /** By activity. */
    filesPerGroup: Object.fromEntries([...steps].map(([step, groups]) => [step, files / groups])),
    eventsPerFile: perFile('events'),
    bytesPerFile: perFile('bytes'),
    actionsPerFile: perFile('actions'),
  };
}

async function add(sum, handle, extraActions, steps = new Map()) {
  const [described, { events }] = await Promise.all([handle.describe(), handle.fetchHistory()]);
  const { historyLength, historySize } = described;
  sum.workflows += 1;
  sum.events += historyLength;
  sum.bytes += historySize;
  sum.actions += countActions(events) + extraActions;
  sum.largest = Math.max(sum.largest, historyLength);
  for (const { activityTaskScheduledEventAttributes: scheduled } of events) {
    const step = scheduled?.activityType?.name;
    if (step !== undefined) steps.set(step, (steps.get(step) ?? 0) + 1);
  }
}
