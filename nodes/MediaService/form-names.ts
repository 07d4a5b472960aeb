/** How the form calls the fields that `api/` names in its errors. */
const LABELS: Readonly<Record<string, string>> = {
  batchId: 'Batch ID',
  binaryPropertyName: 'Input Binary Field',
  bytesPerSecond: 'Bandwidth (MB/s)',
  concurrency: 'Parts at Once',
  creator: 'Creator',
  duration: 'Duration',
  fileType: 'File Type',
  from: 'From',
  host: 'Worker Host',
  ids: 'IDs',
  limit: 'Limit',
  maxFailures: 'Failed Rows Limit',
  maxSameFailures: 'Same Failure Limit',
  mediaId: 'Media',
  metadata: 'Metadata (JSON)',
  page: 'Page',
  partBytes: 'Part Size (MB)',
  path: 'Path',
  processingLimitMs: 'Processing Limit (Hours)',
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
  window: 'Uploads at Once',
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

/** The subject of a sentence such as `limit is 0`, or what one holds in brackets, as `after to (…)`. */
const ROLE = '(?= (?:\\(|and to |are |has |holds |is |may |must |names ))';

/** An error's text with the fields that it is about under the names that the form shows, in double quotes. */
export function namedAsInForm(text: string, field: string): string {
  const name = field.split('.').at(-1) ?? field;
  const names = name === 'from' ? ['from', 'to'] : [name];
  return names.reduce((named, one) => {
    const label = LABELS[one];
    if (label === undefined) return named;
    return named.replace(new RegExp(`"${one}"|\`${one}\`|(?<![\\w"])${one}${ROLE}`, 'g'), `"${label}"`);
  }, text);
}

/** The same for the options of a batch that an error lists in brackets. */
export function optionsAsInForm(text: string): string {
  return text.replace(/(?<=other options \()[^)]*(?=\))/, (names) =>
    names
      .split(', ')
      .map((name) => OPTION_LABELS[name] ?? name)
      .join(', '),
  );
}
