import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';
import { ValidationError } from '../../../api/errors';
import { isRecord } from '../../../api/json';
import { labelOf } from '../../../api/upload/sources/source';
import type { HttpSource } from '../../../api/upload/sources/source';
import { requiredText } from '../parameters';
import { refuseUnreadable } from './in-n8n/database-limit';

export function urlSource(context: IExecuteFunctions, itemIndex: number): HttpSource<string> {
  const url = requiredText(context, { name: 'url' }, itemIndex);
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new ValidationError('url', '"URL" must start with http:// or https://', 'Enter the full address.');
  }
  return { kind: 'http', url, label: labelOf(url) };
}

/** The item's binary data, by the name of its field or by an expression that gives the file itself. */
export function itemBinary(
  context: IExecuteFunctions,
  itemIndex: number,
): { readonly binary: IBinaryData; readonly field: string } {
  const value: unknown = context.getNodeParameter('binaryPropertyName', itemIndex);
  const isFile = isRecord(value) && typeof value['mimeType'] === 'string';
  const field = isFile ? 'data' : requiredText(context, { name: 'binaryPropertyName' }, itemIndex);
  const binary = context.helpers.assertBinaryData(
    itemIndex,
    isFile ? (value as unknown as IBinaryData) : field,
  );
  refuseUnreadable(binary);
  return { binary, field };
}
