/** The forms' labels for fields and options that errors name. */
const LABELS: Readonly<Record<string, string>> = {
  batchId: 'Batch ID',
  binaryPropertyName: 'Input Binary Field',
  parallelUploads: 'Parallel Uploads',
  creator: 'Creator',
  duration: 'Duration in Milliseconds',
  fileType: 'File Type',
  from: 'From',
  host: 'Worker Host',
  ids: 'IDs',
  limit: 'Limit',
  maxFailureRate: 'Failed Share (%)',
  maxFailures: 'Failed Rows',
  maxSameFailures: 'Equal Failures in a Row',
  mediaId: 'Media',
  metadata: 'Metadata (JSON)',
  path: 'Path',
  resolution: 'Resolution',
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
  upload: 'options of each upload',
  uploadChanged: 'Upload Changed Files',
  url: 'URL',
};

/** Undefined if the forms do not have the field. */
export function fieldLabel(field: string): string | undefined {
  const name = field.split('.').at(-1) ?? field;
  return Object.hasOwn(LABELS, name) ? LABELS[name] : undefined;
}
