import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

/** The labels of the credential "Media Service API" by the names of its fields. */
export const CREDENTIAL_LABELS: Readonly<Record<string, string>> = {
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

/** The labels of form fields that are not their names in words. Errors use them as well. */
const FIELD_LABELS: Readonly<Record<string, string>> = {
  again: 'Force New Upload',
  binaryPropertyName: 'Input Binary Field',
  by: 'Identify Upload By',
  compare: 'Compare with Period Before',
  duration: 'Duration in Milliseconds',
  groups: 'Group Failures By',
  host: 'Worker Host',
  includeInReport: 'Include in Reports',
  includeOtherFields: 'Include Other Input Fields',
  isActive: 'Active',
  isLibrary: 'In Library',
  maxFailureRate: 'Failed Share',
  maxFailures: 'Failed Rows',
  maxSameFailures: 'Equal Failures in a Row',
  metadata: 'Metadata (JSON)',
  overlapMinutes: 'Overlap (Minutes)',
  runIn: 'Run Upload In',
  sourceHost: 'Worker Host',
  sourceSecret: 'Source Headers Secret',
  subAccountId: 'Sub-Account',
  top: 'Top Rows',
  upload: 'options of each upload',
  uploadChanged: 'Upload Changed Files',
  verifyMd5: 'Verify Checksums',
  wait: 'Wait for Completion',
};

/** The label of a field; `uploadId` is "Upload ID". */
export function fieldLabel(field: string): string {
  const name = field.split('.').at(-1) ?? field;
  if (Object.hasOwn(FIELD_LABELS, name)) return FIELD_LABELS[name] ?? name;
  const words = name.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`);
  return capitalized(words).replace(/\b(Id|Url)(?=s?\b)/g, (word) => word.toUpperCase());
}

/** A field of the form: a text unless `more` says otherwise. */
export function field(name: string, more: Partial<INodeProperties>): INodeProperties {
  return { displayName: formLabel(name), name, type: 'string', default: '', ...more };
}

/** A yes or no that changes nothing until it is turned on. */
export function switchField(name: string, more: Partial<INodeProperties>): INodeProperties {
  return field(name, { type: 'boolean', default: false, ...more });
}

/** A choice of these words. */
export function choices(values: readonly string[]): INodePropertyOptions[] {
  const options = values.map((value) => ({ name: capitalized(value.toLowerCase()), value }));
  return options.sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function capitalized(text: string): string {
  return text.replace(/^[a-z]/, (letter) => letter.toUpperCase());
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
  return CREDENTIAL_LABELS[name] ?? fieldLabel(name);
}
