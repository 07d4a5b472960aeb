import type { INodeExecutionData } from 'n8n-workflow';
import { hasCode, MediaServiceError } from '../../../../api/errors';
import { given } from '../../../../api/json';
import type { JsonObject } from '../../../../api/json';
import type { Service } from '../../../../api/service/service';
import { createDirectSteps, directControl } from '../../../../api/upload/direct/direct-steps';
import type { DirectHooks } from '../../../../api/upload/direct/direct-steps';
import { findEarlier } from '../../../../api/upload/direct/earlier-media';
import type { EarlierMedia } from '../../../../api/upload/direct/earlier-media';
import type { UploadRequest, UploadResult } from '../../../../api/upload/request/upload-request';
import { runUpload } from '../../../../api/upload/run-upload';
import { idsOfKey } from '../../../../api/upload/session/orphans';
import { itemOf } from '../../items';
import { createN8nTransport } from '../../../../n8n/n8n-transport';
import type { NodeExecution } from '../../node-execution';
import { fieldsOf, fileNameField, simplifyOf, waitOf } from '../../parameters';
import { ownKeyOf } from '../fields/ingest-key';
import { itemUpload } from '../fields/item-upload';
import { progressView } from './n8n-progress';
import type { ProgressView } from './n8n-progress';
import { n8nSource, throughMemory } from './n8n-source';
import { foundHint, hintsOf } from '../upload-texts';
import { choicesOf } from '../fields/upload-options';
import { uploadJson } from '../upload-output';

/**
 * Uploads one file in n8n's own process, with the same engine as the Temporal worker. It ends with the execution:
 * n8n's stop button cancels it. A later run with the same ingest key returns media that is finished, or starts again.
 */
export async function uploadInN8n(
  execution: NodeExecution,
  itemIndex: number,
  next: () => void,
): Promise<INodeExecutionData[]> {
  const { context, signal } = execution;
  const service = await execution.service(itemIndex);
  const wait = waitOf(context, itemIndex);
  const simplify = simplifyOf(context, itemIndex);
  const { again } = choicesOf(fieldsOf(context, 'options', itemIndex));
  const asked = itemUpload(context, itemIndex, service.options.maxParts);
  const about = given({ title: asked.media.title, ingestKey: asked.ingestKey });
  const view = progressView(context, next);
  const hooks = { ...view, ...given({ signal }) };
  const outputOf = (known: object): INodeExecutionData[] => [
    itemOf(uploadJson({ ...about, ...known }, simplify), itemIndex),
  ];
  let earlier: EarlierMedia = {};
  try {
    if (!again && mayRepeat(execution, itemIndex))
      earlier = await findEarlier(service.once, asked.ingestKey, hooks);
    if (earlier.done !== undefined) {
      context.addExecutionHints(foundHint(earlier.done.mediaId));
      return outputOf({ ...earlier.done, ...about, status: 'COMPLETED', joined: true });
    }
    // Media of earlier runs are wanted, and not what a lost start left.
    const knownMedia = again ? await idsOfKey(service, asked.ingestKey, signal) : undefined;
    const options = wait ? asked.options : { ...asked.options, processingLimitMs: 1 };
    const result = await send(execution, itemIndex, {
      service: service.once,
      asked: { ...asked, options, ...given({ knownMedia }) },
      hooks,
    });
    const warned = { ...result, ...earlier };
    context.addExecutionHints(...hintsOf(warned));
    return outputOf({ joined: false, ...warned });
  } catch (error) {
    return outputOf({ ...stillProcessing(withEarlier(error, earlier), wait), ...earlier });
  }
}

/** Only a run with the user's own key, or n8n's retry of the node, can have had an earlier one. */
function mayRepeat({ context }: NodeExecution, itemIndex: number): boolean {
  return ownKeyOf(context, itemIndex) !== undefined || context.getNode().retryOnFail === true;
}

interface Sending {
  readonly service: Service;
  readonly asked: Omit<UploadRequest, 'source'>;
  readonly hooks: DirectHooks & Pick<ProgressView, 'onProgress'>;
}

async function send(
  { context, signal }: NodeExecution,
  itemIndex: number,
  { service, asked, hooks }: Sending,
): Promise<UploadResult> {
  // Without the credential's domains, because its secrets are never sent to storage or a source.
  const transport = createN8nTransport(context.helpers);
  const fileName = fileNameField(fieldsOf(context, 'options', itemIndex)['fileName']);
  const file = n8nSource({ context, itemIndex, transport, signal, fileName });
  const steps = throughMemory(createDirectSteps(service, { ...file.sources, transport }, hooks), file);
  try {
    return await runUpload({ ...asked, source: file.source }, steps, directControl(service, steps, hooks));
  } finally {
    file.streamed()?.close();
  }
}

/** Names in an error what an earlier run may have left, too. */
function withEarlier(error: unknown, { warning }: EarlierMedia): unknown {
  if (!(error instanceof MediaServiceError) || warning === undefined) return error;
  const { code, message, facts } = error;
  const hint = [facts.hint, warning].filter((one) => one !== undefined).join(' ');
  return new MediaServiceError(code, message, { ...facts, outcome: 'ambiguous', hint }, { cause: error });
}

/** If the user does not wait, an accepted `complete` is enough. */
function stillProcessing(error: unknown, wait: boolean): JsonObject {
  if (wait || !hasCode(error, 'ProcessingTimeout')) throw error;
  const { uploadId, mediaId, status } = error.facts.details ?? {};
  return {
    uploadId: uploadId ?? null,
    ...(mediaId === undefined ? {} : { mediaId }),
    status: status ?? null,
  };
}
