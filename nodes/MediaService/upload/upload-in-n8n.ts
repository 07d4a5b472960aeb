import type { INodeExecutionData } from 'n8n-workflow';
import { MediaServiceError } from '../../../api/errors';
import type { JsonObject } from '../../../api/json';
import { createDirectSteps, directControl } from '../../../api/upload/direct/direct-steps';
import { runUpload } from '../../../api/upload/run-upload';
import { readSourceSettings, spoolDirOfN8n } from '../../../settings/source-settings';
import { itemOf } from '../items';
import { createN8nTransport } from '../n8n-transport';
import type { NodeExecution } from '../node-execution';
import { itemUpload, withFileType } from './item-upload';
import { progressView } from './n8n-progress';
import { n8nSource } from './n8n-source';
import { resultJson } from './upload-output';

/**
 * Uploads one file in n8n's own process, with the engine that the Temporal worker has. It ends with the execution: n8n's stop button cancels
 * it, and a restart of n8n ends it.
 */
export async function uploadInN8n(
  execution: NodeExecution,
  itemIndex: number,
): Promise<INodeExecutionData[]> {
  const { context, signal } = execution;
  const service = await execution.service(itemIndex);
  const settings = readSourceSettings();
  const asked = itemUpload(context, itemIndex, service.options.maxParts);
  const spoolDir = spoolDirOfN8n(settings);
  const { source, roots, ...known } = await n8nSource({ context, itemIndex, settings, spoolDir, signal });
  const { request, ...guessed } = withFileType({ source, ...asked }, known);
  const view = progressView(context);
  const hooks = { ...view, ...(signal === undefined ? {} : { signal }) };
  // Without the credential's domains: neither storage nor a source is sent its secrets.
  const transport = createN8nTransport(context.helpers);
  const access = { roots, sourceHosts: settings.sourceHosts, transport, unseal: String, spoolDir };
  const steps = createDirectSteps(service, access, hooks);
  const wait = context.getNodeParameter('wait', itemIndex) === true;
  const options = wait ? request.options : { ...request.options, processingLimitMs: 0 };
  const result = await runUpload({ ...request, options }, steps, directControl(service, steps, hooks))
    .then(resultJson)
    .catch((error: unknown) => stillProcessing(error, wait));
  return [itemOf({ ingestKey: asked.ingestKey, ...result, ...guessed }, itemIndex)];
}

/** Who does not wait is content with `complete` having been accepted. */
function stillProcessing(error: unknown, wait: boolean): JsonObject {
  if (wait || !(error instanceof MediaServiceError) || error.code !== 'ProcessingTimeout') throw error;
  const { uploadId, mediaId, status } = error.facts.details ?? {};
  return {
    uploadId: uploadId ?? null,
    ...(mediaId === undefined ? {} : { mediaId }),
    status: status ?? null,
  };
}
