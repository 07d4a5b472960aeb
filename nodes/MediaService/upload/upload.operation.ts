import { MediaServiceError } from '../../../api/errors';
import type { UploadRequest } from '../../../api/upload/request/upload-request';
import { fileTypeOf } from '../../../api/upload/request/file-type';
import { accountId } from '../../../api/account/account-id';
import { requireWorker } from '../../../temporal/client/pollers';
import { startUpload } from '../../../temporal/client/start-upload';
import type { UploadHandle } from '../../../temporal/client/upload-handle';
import { itemOf } from '../items';
import type { Operation } from '../operation';
import { fieldsOf, given, textField } from '../parameters';
import { awaitUpload } from './await-upload';
import { INGEST_KEY, ingestKeyOf } from './ingest-key';
import { itemSource, plannedSource } from './item-source';
import type { ItemSource } from './item-source';
import { MEDIA_PARAMETERS, mediaOf } from './media-parameters';
import { SOURCE_PARAMETERS } from './source-parameters';
import { UPLOAD_OPTIONS, uploadOptionsOf } from './upload-options';
import { resultJson } from './upload-output';

/** Upload > Upload: starts the Temporal workflow of one file, or joins it, and waits for its end if asked to. */
export const upload: Operation = {
  option: {
    name: 'Upload',
    value: 'upload',
    description: 'Upload a file through a Temporal worker; it survives restarts of n8n and of the worker',
    action: 'Upload a file',
  },
  parameters: [
    {
      displayName:
        'Uploads run on a Temporal worker: choose a "Temporal API" credential above and start one with <code>media-service worker</code>',
      name: 'workerNotice',
      type: 'notice',
      default: '',
    },
    ...SOURCE_PARAMETERS,
    ...MEDIA_PARAMETERS,
    INGEST_KEY,
    {
      displayName: 'Wait for Completion',
      name: 'wait',
      type: 'boolean',
      default: true,
      description:
        'Whether to wait until the service has processed the file. Otherwise see Upload > Wait or Get.',
    },
    UPLOAD_OPTIONS,
  ],

  async execute({ context, signal, service, temporal }, itemIndex) {
    const { account, options: serviceOptions } = await service(itemIndex);
    const { connection, queuePrefix, sharedFolder } = await temporal(itemIndex);
    const fields = fieldsOf(context, 'options', itemIndex);
    const media = mediaOf(context, itemIndex);
    const ingestKey = ingestKeyOf(context, itemIndex);
    const asked = { context, itemIndex, sharedFolder };
    const need = { queuePrefix, accountId: accountId(account), source: plannedSource(asked) };
    await requireWorker(connection, need);
    const handedOver = await itemSource(asked);
    const starting = async (): Promise<UploadHandle> => {
      const { source } = handedOver;
      const options = { maxParts: serviceOptions.maxParts, ...uploadOptionsOf(fields) };
      const request = { source, ...media, ingestKey, options };
      return startUpload(connection, {
        account,
        request: withFileType(request, handedOver),
        queuePrefix,
        serviceOptions,
        again: fields['again'] === true,
        ...given({ workflowId: textField(fields['workflowId'], 'Workflow ID') }),
      });
    };
    const handle = await starting().catch(async (error: unknown) => {
      if (!mayHaveStarted(error)) await handedOver.takeBack();
      throw error;
    });
    const { workflowId, joined } = handle;
    if (joined) await handedOver.takeBack();
    const started = { workflowId, joined, ingestKey };
    if (context.getNodeParameter('wait', itemIndex) !== true) return [itemOf(started, itemIndex)];
    const cancelWithExecution = fields['cancelWithExecution'] === true;
    const result = await awaitUpload(handle, { context, signal, cancelWithExecution });
    return [itemOf({ ...started, ...resultJson(result) }, itemIndex)];
  },
};

/** Temporal may have taken the upload although its answer was lost: the file must stay where it is. */
function mayHaveStarted(error: unknown): boolean {
  return error instanceof MediaServiceError && error.code === 'TemporalUnreachable';
}

/** A handed-over file's name and MIME type are known here only: the worker sees another name. */
function withFileType(request: UploadRequest, { fileName, mimeType }: ItemSource): UploadRequest {
  if (request.media.fileType !== undefined || (fileName ?? mimeType) === undefined) return request;
  return { ...request, media: { ...request.media, fileType: fileTypeOf({ fileName, mimeType }) } };
}
