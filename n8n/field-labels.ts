/** The forms' labels for fields and options that errors name. */
export const FIELD_LABELS: Readonly<Record<string, string>> = {
  acceptAnyContent: 'Accept Any Content',
  batchId: 'Batch ID',
  binaryPropertyName: 'Input Binary Field',
  parallelUploads: 'Parallel Uploads',
  creator: 'Creator',
  duration: 'Duration in Milliseconds',
  fileType: 'File Type',
  folder: 'Folder',
  from: 'From',
  host: 'Worker Host',
  ids: 'IDs',
  limit: 'Limit',
  maxFailureRate: 'Failed Share',
  maxFailures: 'Failed Rows',
  maxSameFailures: 'Equal Failures in a Row',
  mediaId: 'Media',
  manifest: 'Manifest',
  metadata: 'Metadata (JSON)',
  path: 'Path',
  resolution: 'Resolution',
  rowId: 'Row ID',
  rowSource: 'Source',
  searchTerm: 'Search Term',
  sort: 'Sort',
  sourceFolder: 'Source Folder',
  sourceHost: 'Worker Host',
  sourceSecret: 'Source Headers Secret',
  status: 'Status',
  subAccountId: 'Sub-Account',
  tags: 'Tags',
  to: 'To',
  type: 'Type',
  uploadId: 'Upload ID',
  upload: 'options of each upload',
  uploadChanged: 'Upload Changed Files',
  url: 'URL',
  workflowId: 'Workflow ID',
  verifyMd5: 'Verify Checksums',
};

/** Undefined if the forms do not have the field. */
export function fieldLabel(field: string): string | undefined {
  const name = field.split('.').at(-1) ?? field;
  return Object.hasOwn(FIELD_LABELS, name) ? FIELD_LABELS[name] : undefined;
}
