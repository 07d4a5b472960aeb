import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { hasCode, MediaServiceError } from '../../../../api/errors';
import { given } from '../../../../api/json';
import type { JsonObject } from '../../../../api/json';
import type { Service } from '../../../../api/service/service';
import { createDirectSteps, directControl } from '../../../../api/upload/engine/direct-steps';
import type { DirectHooks } from '../../../../api/upload/engine/direct-steps';
import { findEarlier, idsOfKey } from '../../../../api/upload/protocol/ingest-key';
import type { EarlierMedia } from '../../../../api/upload/protocol/ingest-key';
import type { UploadProgress, UploadRequest, UploadResult } from '../../../../api/upload/types';
import { runUpload } from '../../../../api/upload/engine/run-upload';
import { itemOf, uploadJson } from '../../output';
import { createN8nTransport } from '../../../../n8n/n8n-transport';
import type { NodeExecution } from '../../node-execution';
import { fieldsOf, fileNameField, simplifyOf, waitOf } from '../../parameters';
import { isOn, itemUpload, ownKeyOf } from '../upload-fields';
import { n8nSource, throughMemory } from './n8n-source';
import { foundHint, hintsOf, progressText } from '../../shown-texts';

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
  const again = isOn(context, 'again', itemIndex);
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

const SHOW_EVERY_MS = 2_000;

interface ProgressView extends Pick<DirectHooks, 'onStepRetry' | 'onPartRetry'> {
  readonly onProgress: (progress: UploadProgress) => void;
}

/**
 * Progress in the editor's console during a manual execution, every two seconds and at each new phase. Errors that are
 * retried appear there too, and in n8n's log. Calls `onSent` when the whole file is sent.
 */
function progressView(context: IExecuteFunctions, onSent: () => void): ProgressView {
  const manual = context.getMode() === 'manual';
  let shown: { readonly phase?: string; readonly at: number } = { at: 0 };
  const say = (what: string): void => {
    context.logger.warn(`${context.getNode().name}: ${what}`);
    if (manual) context.sendMessageToUI(what);
  };
  return {
    onStepRetry: (error) => say(`Trying again: ${error.message}`),
    onPartRetry: (part, error) => say(`Trying part ${part} again: ${error.message}`),
    onProgress(progress) {
      const { phase } = progress;
      if (phase === 'processing') onSent();
      if (!manual || (phase === shown.phase && Date.now() - shown.at < SHOW_EVERY_MS)) return;
      shown = { phase, at: Date.now() };
      context.sendMessageToUI(progressText(progress));
    },
  };
}
