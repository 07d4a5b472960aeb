import type { IExecuteFunctions } from 'n8n-workflow';
import { guessFileType } from '../../../../api/upload/request/file-type';
import type { FileTypeOrigin } from '../../../../api/upload/request/file-type';
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

export interface TypedMedia {
  readonly media: UploadRequest['media'];
  /** Set if the type was guessed here. */
  readonly fileTypeFrom?: FileTypeOrigin;
}

/** Guesses the file type if only n8n knows the name and MIME type, because a copy has another name. */
export function withFileType(media: UploadRequest['media'], { fileName, mimeType }: KnownFile): TypedMedia {
  if (media.fileType !== undefined || (fileName ?? mimeType) === undefined) return { media };
  const { fileType, from } = guessFileType({ fileName, mimeType });
  return { media: { ...media, fileType }, fileTypeFrom: from };
}
