import type { INodeProperties } from 'n8n-workflow';
import { given } from '../../../../api/json';
import type { UploadOptions } from '../../../../api/upload/request/upload-request';
import { booleanField } from '../../parameters';
import type { Fields } from '../../parameters';

/** Options of single uploads and of the uploads of a batch. */
export const EACH_UPLOAD_OPTIONS: readonly INodeProperties[] = [
  {
    displayName: 'Accept Any Content',
    name: 'acceptAnyContent',
    type: 'boolean',
    default: false,
    description:
      'Whether to upload a file even if its Content-Type or first bytes contradict its file type. Otherwise such a file is refused.',
  },
  {
    displayName: 'Restart if URLs Expire',
    name: 'restartOnExpiry',
    type: 'boolean',
    default: false,
    description:
      'Whether to start one new session if upload URLs expire and no more can be asked for. The old session stays, and the output names it. Otherwise the upload fails.',
  },
  {
    displayName: 'Verify Checksums',
    name: 'verifyMd5',
    type: 'boolean',
    default: true,
    description:
      "Whether to compare the MD5 of every part with the storage's answer. Turn it off only if the storage's ETags are no MD5 checksums.",
  },
];

const INCLUDE_OTHER_FIELDS = 'Include Other Input Fields';

export const UPLOAD_OPTIONS: INodeProperties = {
  displayName: 'Options',
  name: 'options',
  type: 'collection',
  placeholder: 'Add Option',
  default: {},
  // Without localeCompare, because its first use loads language tables while n8n starts.
  options: [
    ...EACH_UPLOAD_OPTIONS,
    {
      displayName: 'File Name',
      name: 'fileName',
      type: 'string' as const,
      default: '',
      placeholder: 'e.g. kitchen.mp4',
      description:
        'With its extension, which sets the file type. Without this option the file keeps its name.',
    },
    {
      displayName: 'Force New Upload',
      name: 'again',
      type: 'boolean' as const,
      default: false,
      description:
        'Whether to upload again what was uploaded before under the same ingest key. Otherwise the output is the media of that upload.',
    },
    {
      displayName: INCLUDE_OTHER_FIELDS,
      name: 'includeOtherFields',
      type: 'boolean' as const,
      default: false,
      description:
        "Whether to pass the input item's fields on. Those of the upload replace fields of the same name. Otherwise the output has the upload's fields only.",
    },
  ].sort((a, b) => (a.displayName < b.displayName ? -1 : 1)),
};

/** What this node does besides sending the file. False if unset. */
export function choicesOf(fields: Fields): { readonly again: boolean; readonly includeOtherFields: boolean } {
  return {
    again: booleanField(fields['again'], 'Force New Upload') ?? false,
    includeOtherFields: booleanField(fields['includeOtherFields'], INCLUDE_OTHER_FIELDS) ?? false,
  };
}

export function uploadOptionsOf(fields: Fields): UploadOptions {
  return given({
    restartOnExpiry: booleanField(fields['restartOnExpiry'], 'Restart if URLs Expire'),
    acceptAnyContent: booleanField(fields['acceptAnyContent'], 'Accept Any Content'),
    verifyMd5: booleanField(fields['verifyMd5'], 'Verify Checksums'),
  });
}
