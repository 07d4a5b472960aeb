import type { IExecuteFunctions, INodeProperties, ResourceMapperFields } from 'n8n-workflow';
import { given } from '../../../api/json';
import { MEDIA_OPTIONS } from '../../../api/options/upload-options';
import { SUPPORTED_FILE_TYPES } from '../../../api/upload/file-type';
import { field, formLabel } from '../../../n8n/form-fields';
import { recordOf, required, textField } from '../parameters';
import { mediaValues } from '../upload/media-fields';

/** The columns of a manifest, with all tags in one. */
const COLUMNS = {
  source: 'string',
  id: 'string',
  title: 'string',
  fileType: 'options',
  creator: 'string',
  duration: 'number',
  resolution: 'options',
  isLibrary: 'boolean',
  includeInReport: 'boolean',
  tags: 'object',
  metadata: 'object',
} as const;
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  fileType: SUPPORTED_FILE_TYPES,
  resolution: MEDIA_OPTIONS.resolution.values,
};
/** Shown before others are added. */
const FIRST = ['source', 'id', 'title'];

/** What each row has. The source may be a path on a worker, an http(s) address, or s3://bucket/key. */
export const ROW_COLUMNS: INodeProperties = field('columns', {
  type: 'resourceMapper',
  noDataExpression: true,
  required: true,
  default: { mappingMode: 'autoMapInputData', value: {} },
  typeOptions: {
    resourceMapper: {
      ...{ resourceMapperMethod: 'batchColumns', mode: 'add', addAllFields: false, multiKeyMatch: false },
      fieldWords: { singular: 'column', plural: 'columns' },
    },
  },
  description:
    'Fields of each row. Source: a path on a worker, an http(s) address, or s3://bucket/key. The same ID in the same batch is uploaded once; without one it is made of all fields, so enter one if addresses are signed again each time. Mapped automatically, other fields of the items are left out.',
});

/** The columns, as the editor asks for them. */
export function batchColumns(): Promise<ResourceMapperFields> {
  const fields = Object.entries(COLUMNS).map(([id, type]) => ({
    id,
    displayName: formLabel(id),
    type,
    required: id === 'source',
    display: true,
    defaultMatch: false,
    removed: !FIRST.includes(id),
    ...given({ options: CHOICES[id]?.map((name) => ({ name, value: name })) }),
  }));
  return Promise.resolve({ fields });
}

/** The item as a line of a manifest. The worker checks the rows together. */
export function rowOf(context: IExecuteFunctions, itemIndex: number): object {
  const isAutomatic = context.getNodeParameter('columns.mappingMode', itemIndex) === 'autoMapInputData';
  const values = recordOf(
    isAutomatic
      ? context.getInputData()[itemIndex]?.json
      : context.getNodeParameter('columns.value', itemIndex),
  );
  const source = required(textField(values['source'], 'source'), 'source');
  return { source, ...given({ id: textField(values['id'], 'id') }), ...mediaValues(values) };
}
