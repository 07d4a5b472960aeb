/** How the form calls the fields that `api/` names in its errors. */
const LABELS: Readonly<Record<string, string>> = {
  batchId: 'Batch ID',
  binaryPropertyName: 'Input Binary Field',
  bytesPerSecond: 'Bandwidth (MB/s)',
  concurrency: 'Parallel Parts',
  creator: 'Creator',
  duration: 'Duration (ms)',
  fileType: 'File Type',
  from: 'From',
  host: 'Worker Host',
  ids: 'IDs',
  limit: 'Limit',
  maxFailures: 'Failed Rows Limit',
  maxSameFailures: 'Same Failure Limit',
  maxGroupedBytes: 'Group Files up to (MB)',
  mediaId: 'Media',
  metadata: 'Metadata (JSON)',
  page: 'Page',
  partBytes: 'Preferred Part Size (MB)',
  path: 'Path',
  processingLimitMs: 'Processing Timeout (Hours)',
  resolution: 'Resolution',
  searchTerm: 'Search Term',
  size: 'Page Size',
  sort: 'Sort',
  status: 'Status',
  subAccountId: 'Sub-Account',
  tags: 'Tags',
  to: 'To',
  type: 'Type',
  url: 'URL',
  window: 'Parallel Uploads',
};

/** Options of a batch that were compared with those of the batch that runs, where the form calls them otherwise. */
const OPTION_LABELS: Readonly<Record<string, string>> = {
  ...LABELS,
  maxFailureRate: 'Failed Share Limit (%)',
  requesterPays: 'Requester Pays',
  sourceFolder: 'Source Folder',
  sourceHost: 'Worker Host',
  sourceSecret: 'Source Headers Secret',
  upload: 'options of each upload',
};

/** A name in quotes, the subject of a sentence such as `limit is 0`, or what one holds in brackets, as `after to (…)`. */
const NAME =
  /"(\w+)"|`(\w+)`|(?<![\w"])(\w+)(?= (?:\(|and to |are |has |holds |is |isn't |may |must |names ))/g;

/** An error's text with the fields that it is about under the names that the form shows, in double quotes. */
export function namedAsInForm(text: string, field: string): string {
  const name = field.split('.').at(-1) ?? field;
  const names = name === 'from' ? ['from', 'to'] : [name];
  return text.replace(NAME, (found: string, quoted?: string, ticked?: string, bare?: string) => {
    const one = quoted ?? ticked ?? bare ?? '';
    const label = names.includes(one) ? LABELS[one] : undefined;
    return label === undefined ? found : `"${label}"`;
  });
}

/** The same for the options of a batch that an error lists in brackets. */
export function optionsAsInForm(text: string): string {
  return text.replace(/(?<=other options \()[^()]*(?=\))/, (names) =>
    names
      .split(', ')
      .map((name) => OPTION_LABELS[name] ?? name)
      .join(', '),
  );
}
