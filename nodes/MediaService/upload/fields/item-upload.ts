import type { IExecuteFunctions } from 'n8n-workflow';
import { guessFileType } from '../../../../api/upload/request/file-type';
import type { FileTypeOrigin } from '../../../../api/upload/request/file-type';
import type { UploadRequest } from '../../../../api/upload/request/upload-request';
import { booleanField, fieldsOf, required } from '../../parameters';
import { ingestKeyOf } from './ingest-key';
import { mediaOf } from './media-parameters';
import { uploadOptionsOf } from './upload-options';

/** One item's upload from the form, without its source, which may need to be handed over first. */
export function itemUpload(
  context: IExecuteFunctions,
  itemIndex: number,
  maxParts: number,
): Omit<UploadRequest, 'source'> {
  return {
    ...mediaOf(context, itemIndex),
    ingestKey: ingestKeyOf(context, itemIndex),
    options: { maxParts, ...uploadOptionsOf(fieldsOf(context, 'options', itemIndex)) },
  };
}

/** What n8n itself knows about a file. */
export interface KnownFile {
  readonly fileName?: string;
  readonly mimeType?: string;
}

export interface TypedUpload {
  readonly request: UploadRequest;
  /** Set if the type was guessed here. */
  readonly fileTypeFrom?: FileTypeOrigin;
}

/** Guesses the file type if only n8n knows the name and MIME type, because a copy has another name. */
export function withFileType(request: UploadRequest, { fileName, mimeType }: KnownFile): TypedUpload {
  if (request.media.fileType !== undefined || (fileName ?? mimeType) === undefined) return { request };
  const { fileType, from } = guessFileType({ fileName, mimeType });
  return { request: { ...request, media: { ...request.media, fileType } }, fileTypeFrom: from };
}

/** Whether the node waits until the service has processed the file. */
export function waitOf(context: IExecuteFunctions, itemIndex: number): boolean {
  const name = 'Wait for Completion';
  return required(booleanField(context.getNodeParameter('wait', itemIndex), name), name);
}
