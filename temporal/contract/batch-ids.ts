export function batchWorkflowId(accountId: string, batchId: string): string {
  return `batch/${accountId}/${batchId}`;
}

/** Each start of a batch has pages of its own. `startedBy`: run id of the root's first run since it was started. */
export function batchPageWorkflowId(
  batchWorkflow: string,
  { round, startedBy }: { readonly round: number; readonly startedBy: string },
  page: number,
): string {
  return `${batchWorkflow}/round-${String(round)}-${shortRunId(startedBy)}/page-${String(page)}`;
}

/** The random end of a run id: it begins with the time, so that runs of the same minute begin alike. */
export function shortRunId(runId: string): string {
  return runId.slice(-12);
}

/** An upload's ingest key within a batch: the same row of the same batch is the same upload. */
export function batchIngestKey(batchId: string, rowId: string): string {
  return `${batchId}/${rowId}`;
}

/** The row that an upload's workflow id names; undefined if it can't be a row's. */
export function batchRowOf(
  workflowId: string,
): { readonly batchWorkflow: string; readonly batchId: string; readonly rowId: string } | undefined {
  const [, accountId, batchId, rowId] = /^upload\/([^/]+)\/([^/]+)\/(.+)$/s.exec(workflowId) ?? [];
  if (accountId === undefined || batchId === undefined || rowId === undefined) return undefined;
  return { batchWorkflow: batchWorkflowId(accountId, batchId), batchId, rowId };
}

const FAIRNESS_KEY_BYTES = 64;

/** Batches share workers equally; Temporal takes no longer key. */
export function fairnessKeyOf(batchId: string): string {
  return batchId.slice(0, FAIRNESS_KEY_BYTES);
}
