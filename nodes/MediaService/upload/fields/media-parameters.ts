import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { ValidationError } from '../../../../api/errors';
import { given } from '../../../../api/json';
import type { JsonObject } from '../../../../api/json';
import { SUPPORTED_FILE_TYPES } from '../../../../api/upload/request/file-type';
import type { UploadRequest } from '../../../../api/upload/request/upload-request';
import { booleanField, choiceField, fieldsOf, numberField, objectField, textField } from '../../parameters';
import { TAGS, tagsOf } from '../../tags';

/** The media object and the metadata of an upload. api.md, "Upload start request". */
export const MEDIA_PARAMETERS: INodeProperties[] = [
  {
    displayName: 'Title',
    name: 'title',
    type: 'string',
    default: '',
    placeholder: 'e.g. Kitchen, after',
    description: 'Display title; any characters. Empty: none is sent.',
  },
  {
    displayName: 'Media Fields',
    name: 'media',
    type: 'collection',
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Add to Library',
        name: 'isLibrary',
        type: 'boolean',
        default: true,
        description: 'Whether the media becomes part of the permanent library',
      },
      {
        displayName: 'Creator',
        name: 'creator',
        type: 'string',
        default: '',
        description: 'Person or entity that created the media, up to 255 characters',
      },
      {
        displayName: 'Duration in Milliseconds',
        name: 'duration',
        type: 'number',
        typeOptions: { minValue: 0 },
        default: 0,
        description: 'Length of the media',
      },
      {
        displayName: 'File Type',
        name: 'fileType',
        type: 'options',
        default: 'MP4',
        options: SUPPORTED_FILE_TYPES.map((name) => ({ name, value: name })),
        description: 'Without this field it is guessed from the name of the file, then from its MIME type',
      },
      {
        displayName: 'Include in Reports',
        name: 'includeInReport',
        type: 'boolean',
        default: true,
        description: 'Whether the media appears in automated PDF and email reports',
      },
      {
        displayName: 'Metadata (JSON)',
        name: 'metadata',
        type: 'json',
        default: '{}',
        placeholder: 'e.g. {"workOrder": 4711}',
        description: 'Custom information; the keys failureReason and failureTimestamp are reserved',
      },
      {
        displayName: 'Resolution',
        name: 'resolution',
        type: 'options',
        default: 'NORMAL',
        options: [
          { name: 'High (1080p)', value: 'HIGH' },
          { name: 'Low (480p)', value: 'LOW' },
          { name: 'Normal (720p)', value: 'NORMAL' },
        ],
        description: "Can't be changed after the upload",
      },
      TAGS,
    ],
  },
];

/** The item's media fields and metadata, without missing fields. */
export function mediaOf(
  context: IExecuteFunctions,
  itemIndex: number,
): Pick<UploadRequest, 'media' | 'metadata'> {
  const fields = fieldsOf(context, 'media', itemIndex);
  const insights = given({
    isLibrary: booleanField(fields['isLibrary'], 'Add to Library'),
    includeInReport: booleanField(fields['includeInReport'], 'Include in Reports'),
  });
  const media = given({
    title: textField(context.getNodeParameter('title', itemIndex, ''), 'Title'),
    fileType: textField(fields['fileType'], 'File Type'),
    creator: textField(fields['creator'], 'Creator'),
    duration: numberField(fields['duration'], 'Duration in Milliseconds'),
    resolution: choiceField(fields['resolution'], 'Resolution', ['LOW', 'NORMAL', 'HIGH'] as const),
    tags: textTags(tagsOf(fields)),
    insights: Object.keys(insights).length === 0 ? undefined : insights,
  });
  return { media, ...given({ metadata: objectField(fields['metadata'], 'Metadata (JSON)') }) };
}

function textTags(tags: JsonObject | undefined): Record<string, string> | undefined {
  if (tags === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(tags).map(([key, value]) => {
      if (typeof value === 'object') {
        throw new ValidationError(
          'tags',
          `The tag "${key}" must be text`,
          'Put lists and objects into the metadata.',
        );
      }
      return [key, String(value)];
    }),
  );
}
