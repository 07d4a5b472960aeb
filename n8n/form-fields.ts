import type { INodeProperties } from 'n8n-workflow';

/** The labels of the credential "Media Service API" by the names of its fields. */
const CREDENTIAL_LABELS: Readonly<Record<string, string>> = {
  additionalUrls: 'Additional URLs Request',
  advanced: 'Advanced Settings',
  allowedDomains: 'Allowed Domains',
  allowPlainHttp: 'Allow Plain HTTP',
  apiKey: 'API Key',
  baseUrl: 'Base URL',
  completeBody: 'Complete Body',
  externalId: 'External ID',
  ingestTag: 'Ingest Tag Name',
  maxParts: 'Max Parts',
  secretKey: 'Secret Key',
  sortSeparator: 'Sort Separator',
  uploadUrl: 'Upload URL',
  useIngestTag: 'Mark Uploads with an Ingest Tag',
};

/** The labels of the forms' fields, by their names. Errors use them as well. */
const FIELD_LABELS: Readonly<Record<string, string>> = {
  acceptAnyContent: 'Accept Any Content',
  again: 'Force New Upload',
  batchId: 'Batch ID',
  binaryPropertyName: 'Input Binary Field',
  by: 'Identify Upload By',
  compare: 'Compare with Period Before',
  creator: 'Creator',
  duration: 'Duration in Milliseconds',
  event: 'Event',
  fileName: 'File Name',
  fileType: 'File Type',
  folder: 'Folder',
  format: 'Format',
  from: 'From',
  groups: 'Group Failures By',
  host: 'Worker Host',
  idField: 'ID Field',
  ids: 'IDs',
  includeInReport: 'Include in Reports',
  includeOtherFields: 'Include Other Input Fields',
  ingestKey: 'Ingest Key',
  isActive: 'Active',
  isLibrary: 'In Library',
  limit: 'Limit',
  manifest: 'Manifest',
  maxFailureRate: 'Failed Share',
  maxFailures: 'Failed Rows',
  maxSameFailures: 'Equal Failures in a Row',
  mediaId: 'Media ID',
  metadata: 'Metadata (JSON)',
  outcome: 'Outcome',
  output: 'Output',
  overlapMinutes: 'Overlap (Minutes)',
  parallelUploads: 'Parallel Uploads',
  path: 'Path',
  period: 'Period',
  resolution: 'Resolution',
  returnAll: 'Return All',
  rowId: 'Row ID',
  rowsFrom: 'Rows From',
  rowSource: 'Source',
  runIn: 'Run Upload In',
  searchTerm: 'Search Term',
  simplify: 'Simplify',
  sort: 'Sort',
  source: 'Source',
  sourceFolder: 'Source Folder',
  sourceHost: 'Worker Host',
  sourceSecret: 'Source Headers Secret',
  startFrom: 'Start From',
  status: 'Status',
  stopWhen: 'Stop When',
  subAccountId: 'Sub-Account',
  tags: 'Tags',
  title: 'Title',
  to: 'To',
  token: 'Token',
  top: 'Top Rows',
  type: 'Type',
  upload: 'options of each upload',
  uploadChanged: 'Upload Changed Files',
  uploadId: 'Upload ID',
  url: 'URL',
  verifyMd5: 'Verify Checksums',
  wait: 'Wait for Completion',
  workflowId: 'Workflow ID',
};

/** Undefined if the credential does not have the field. */
export function credentialLabel(name: string): string | undefined {
  return CREDENTIAL_LABELS[name];
}

/** Undefined if the forms do not have the field. */
export function fieldLabel(field: string): string | undefined {
  const name = field.split('.').at(-1) ?? field;
  return Object.hasOwn(FIELD_LABELS, name) ? FIELD_LABELS[name] : undefined;
}

/** A field of the form: a text unless `more` says otherwise. */
export function field(name: string, more: Partial<INodeProperties>): INodeProperties {
  return { displayName: formLabel(name), name, type: 'string', default: '', ...more };
}

/** A yes or no that changes nothing until it is turned on. */
export function switchField(name: string, more: Partial<INodeProperties>): INodeProperties {
  return field(name, { type: 'boolean', default: false, ...more });
}

/** A collection of optional fields. Without localeCompare, whose first use loads language tables while n8n starts. */
export function collectionOf(
  kind: 'Field' | 'Filter' | 'Option',
  options: INodeProperties[],
): INodeProperties {
  const sorted = options.sort((a, b) => (a.displayName < b.displayName ? -1 : 1));
  const names = { displayName: `${kind}s`, name: `${kind.toLowerCase()}s` };
  return { ...names, type: 'collection', placeholder: `Add ${kind}`, default: {}, options: sorted };
}

/** Errors and forms call a field by its label. */
export function formLabel(name: string): string {
  return CREDENTIAL_LABELS[name] ?? fieldLabel(name) ?? name;
}
