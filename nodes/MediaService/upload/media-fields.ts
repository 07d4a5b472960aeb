import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { given } from '../../../api/json';
import { MEDIA_OPTIONS } from '../../../api/options/upload-options';
import { SUPPORTED_FILE_TYPES } from '../../../api/upload/file-type';
import type { UploadRequest } from '../../../api/upload/types';
import { optionFields, optionValues } from '../option-fields';
import { collectionOf, field, switchField } from '../../../n8n/form-fields';
import { booleanField, fieldsOf, objectField } from '../parameters';
import type { Fields } from '../parameters';

/** The media object and the metadata of an upload. api.md, "Upload start request". */
export const MEDIA_PARAMETERS: INodeProperties[] = [
  field('title', {
    placeholder: 'e.g. Kitchen, after',
    description: 'Display title; any characters. Empty: none is sent.',
  }),
  {
    ...collectionOf('Field', [
      switchField('isLibrary', {
        displayName: 'Add to Library',
        description:
          "Whether the media becomes part of the permanent library. Otherwise work orders can't reuse it.",
      }),
      ...optionFields(MEDIA_OPTIONS, ['creator', 'duration']),
      field('fileType', {
        type: 'options',
        options: [
          { name: 'By Its Name', value: '', description: 'By the name of the file, then by its MIME type' },
          ...SUPPORTED_FILE_TYPES.map((name) => ({ name, value: name })),
        ],
      }),
      switchField('includeInReport', {
        default: true,
        description:
          'Whether automated PDF and email reports show the media. Otherwise only the portal does.',
      }),
      field('metadata', {
        type: 'json',
        default: '{}',
        placeholder: 'e.g. {"workOrder": 4711}',
        description: 'Custom information; the keys failureReason and failureTimestamp are reserved',
      }),
      ...optionFields(MEDIA_OPTIONS, ['resolution', 'tags']),
    ]),
    displayName: 'Media Fields',
    name: 'media',
  },
];

const NAMES = ['title', 'fileType', 'creator', 'duration', 'resolution', 'tags'] as const;

/** Media fields and metadata from a form or a row, without missing ones. */
export function mediaValues(values: Fields) {
  return given({
    ...optionValues(values, MEDIA_OPTIONS, NAMES),
    isLibrary: booleanField(values['isLibrary'], 'isLibrary'),
    includeInReport: booleanField(values['includeInReport'], 'includeInReport'),
    metadata: objectField(values['metadata'], 'metadata'),
  });
}

/** The item's media fields and metadata. */
export function mediaOf(
  context: IExecuteFunctions,
  itemIndex: number,
): Pick<UploadRequest, 'media' | 'metadata'> {
  const title: unknown = context.getNodeParameter('title', itemIndex, '');
  const values = mediaValues({ ...fieldsOf(context, 'media', itemIndex), title });
  const { metadata, isLibrary, includeInReport, ...media } = values;
  const insights = given({ isLibrary, includeInReport });
  return {
    media: { ...media, ...(Object.keys(insights).length === 0 ? {} : { insights }) },
    ...given({ metadata }),
  };
}
