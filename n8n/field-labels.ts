/** The forms' labels for fields and options that errors name. */
const LABELS: Readonly<Record<string, string>> = {
  batchId: 'Batch ID',
  binaryPropertyName: 'Input Binary Field',
  bytesPerSecond: 'Bandwidth (MB/s)',
  concurrency: 'Parallel Parts',
  parallelUploads: 'Parallel Uploads',
  creator: 'Creator',
  duration: 'Duration (ms)',
  fileType: 'File Type',
  from: 'From',
  host: 'Worker Host',
  ids: 'IDs',
  limit: 'Limit',
  maxFailureRate: 'Failed Share Limit (%)',
  maxFailures: 'Failed Rows Limit',
  maxSameFailures: 'Same Failure Limit',
  smallFileBytes: 'Small Files up to (MB)',
  mediaId: 'Media',
  metadata: 'Metadata (JSON)',
  page: 'Page',
  partBytes: 'Preferred Part Size (MB)',
  path: 'Path',
  processingLimitMs: 'Processing Timeout (Hours)',
  requesterPays: 'Requester Pays',
  resolution: 'Resolution',
  searchTerm: 'Search Term',
  size: 'Page Size',
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
