import type { IExecuteFunctions } from 'n8n-workflow';
import { fileTypeOf } from '../../../../api/upload/request/file-type';
import type { UploadRequest } from '../../../../api/upload/request/upload-request';
import { given } from '../../../../api/json';
import { fieldsOf } from '../../parameters';
import { ingestKeyOf } from './ingest-key';
import { mediaOf } from './media-parameters';
import { uploadOptionsOf } from './upload-options';

/** One item's upload from the form, without its source, which may need to be handed over first. */
export function itemUpload(
  context: IExecuteFunctions,
  itemIndex: number,
  maxParts?: number,
): Omit<UploadRequest, 'source'> {
  return {
    ...mediaOf(context, itemIndex),
    ingestKey: ingestKeyOf(context, itemIndex),
    options: { ...given({ maxParts }), ...uploadOptionsOf(fieldsOf(context, 'options', itemIndex)) },
  };
}

/** What n8n itself knows about a file. */
export interface KnownFile {
  readonly fileName?: string;
  readonly mimeType?: string;
}

/** Guesses the file type if only n8n knows the name and MIME type, because a copy has another name. */
export function withFileType(
  media: UploadRequest['media'],
  { fileName, mimeType }: KnownFile,
): UploadRequest['media'] {
  if (media.fileType !== undefined || (fileName ?? mimeType) === undefined) return media;
  return { ...media, fileType: fileTypeOf({ fileName, mimeType }) };
}
