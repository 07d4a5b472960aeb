import { countActions } from '../upload/count-actions.mjs';

/** Uploads are alike: so many tell of all. */
const SAMPLE = 40;
/** The start of a child is two actions, of which its own history shows one. */
const CHILD_START_EXTRA = 1;

/** Events, bytes of history and actions of every workflow below a batch, per file; of uploads by a sample. */
export async function treeCost(client, { batchWorkflowId, uploadPrefix, files }) {
  const root = { workflows: 0, events: 0, bytes: 0, actions: 0, largest: 0 };
  const pages = { ...root };
  const uploads = { ...root };
  const spans = [];
  for await (const { workflowId, runId } of client.workflow.list({
    query: `WorkflowType STARTS_WITH 'uploadBatch'`,
  })) {
    if (workflowId !== batchWorkflowId && !workflowId.startsWith(`${batchWorkflowId}/`)) continue;
    const isRoot = workflowId === batchWorkflowId;
    await add(
      isRoot ? root : pages,
      client.workflow.getHandle(workflowId, runId),
      isRoot ? 0 : CHILD_START_EXTRA,
    );
  }
  for (let index = 0; index < Math.min(SAMPLE, files); index += 1) {
    const number = Math.floor((index * files) / Math.min(SAMPLE, files));
    const { startTime, closeTime } = await add(
      uploads,
      client.workflow.getHandle(`${uploadPrefix}${number}`),
      CHILD_START_EXTRA,
    );
    spans.push((closeTime.getTime() - startTime.getTime()) / 1000);
  }
  const perUpload = (field) => uploads[field] / uploads.workflows;
  const perFile = (field) => perUpload(field) + (root[field] + pages[field]) / files;
  return {
    root,
    pages,
    /** Median, s. */
    uploadSeconds: spans.sort((a, b) => a - b)[Math.floor(spans.length / 2)],
    uploadEvents: perUpload('events'),
    treeEventsPerFile: (root.events + pages.events) / files,
    eventsPerFile: perFile('events'),
    bytesPerFile: perFile('bytes'),
    actionsPerFile: perFile('actions'),
  };
}

async function add(sum, handle, extraActions) {
  const [described, { events }] = await Promise.all([handle.describe(), handle.fetchHistory()]);
  const { historyLength, historySize } = described;
  sum.workflows += 1;
  sum.events += historyLength;
  sum.bytes += historySize;
  sum.actions += countActions(events) + extraActions;
  sum.largest = Math.max(sum.largest, historyLength);
  return described;
}
