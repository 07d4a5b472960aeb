import type { INodeExecutionData } from 'n8n-workflow';
import { hasCode } from '../../../../api/errors';
import type { MediaServiceError } from '../../../../api/errors';
import type { JsonObject } from '../../../../api/json';
import type { Service } from '../../../../api/service/service';
import {
  createDirectSteps,
  directControl,
  REACH_WITHIN_MS,
} from '../../../../api/upload/direct/direct-steps';
import type { DirectHooks } from '../../../../api/upload/direct/direct-steps';
import type { JournaledPast } from '../../../../api/upload/direct/journal/journaled-steps';
import { runJournaled } from '../../../../api/upload/direct/journal/run-journaled';
import type { UploadRequest, UploadResult } from '../../../../api/upload/request/upload-request';
import { runUpload } from '../../../../api/upload/run-upload';
import { releaseSource } from '../../../../api/upload/sources/read-source';
import type { SourceAccess } from '../../../../api/upload/sources/read-source';
import { spoolOfN8n } from '../../../../settings/n8n-spool';
import { readSourceSettings } from '../../../../settings/source-settings';
import { listenForStop } from '../../../../settings/process-stop';
import { itemOf } from '../../items';
import { createN8nTransport } from '../../../../n8n/n8n-transport';
import type { NodeExecution } from '../../node-execution';
import { fieldsOf, simplifyOf } from '../../parameters';
import { ownKeyOf } from '../fields/ingest-key';
import { itemUpload, waitOf, withFileType } from '../fields/item-upload';
import { openJournals } from './open-journals';
import { prepareSpool } from './prepare-spool';
import { progressView } from './n8n-progress';
import type { ProgressView } from './n8n-progress';
import { n8nSource } from './n8n-source';
import { hintsOf } from '../upload-hints';
import { withFileName } from '../item-source';
import { choicesOf, fileNameOf } from '../fields/upload-options';
import { uploadJson } from '../upload-output';
import { urlSeals } from '../../../../temporal/sealed-url';

/**
 * Uploads one file in n8n's own process, with the same engine as the Temporal worker. It ends with the execution:
 * n8n's stop button cancels it. The next run with the same ingest key continues where this one stopped.
 */
export async function uploadInN8n(
  execution: NodeExecution,
  itemIndex: number,
): Promise<INodeExecutionData[]> {
  const { context, signal } = execution;
  const service = await execution.service(itemIndex);
  const settings = readSourceSettings();
  const wait = waitOf(context, itemIndex);
  const fields = fieldsOf(context, 'options', itemIndex);
  const { again } = choicesOf(fields);
  const fileName = fileNameOf(fields);
  const simplify = simplifyOf(context, itemIndex);
  const asked = itemUpload(context, itemIndex, service.options.maxParts);
  const about = { title: asked.media.title, ingestKey: asked.ingestKey };
  const spool = spoolOfN8n(settings);
  const { folder, warning } = await openJournals(settings);
  const keyWarning = ownKeyOf(context, itemIndex) === undefined ? undefined : warning;
  const view = progressView(context);
  const onRetry = (error: MediaServiceError): void => view.onStepRetry?.(error);
  const reading = { context, itemIndex, settings, spool, signal, onRetry };
  const { source, roots, ...known } = withFileName(await n8nSource(reading), fileName);
  // Without the credential's domains, because its secrets are never sent to storage or a source.
  const transport = createN8nTransport(context.helpers);
  const spooling = { spoolDir: spool.dir, prepareSpool: () => prepareSpool(spool) };
  const access = { roots, sourceHosts: settings.sourceHosts, transport, unseal: String, ...spooling };
  // Listens for n8n's stop signal, because n8n waits for its executions when it stops.
  const stop = listenForStop();
  const ending = { stopping: stop.signal, reachWithinMs: REACH_WITHIN_MS };
  try {
    const { request, ...guessed } = withFileType({ source, ...asked }, known);
    const { result, past } = await send({
      service,
      request: wait ? request : { ...request, options: { ...request.options, processingLimitMs: 1 } },
      access,
      hooks: { ...view, ...ending, ...(signal === undefined ? {} : { signal }) },
      folder,
      host: settings.host,
      again,
    });
    const warned = withWarning(result, keyWarning);
    context.addExecutionHints(...hintsOf(warned, past));
    const earlier = { joined: past?.joined ?? false, continued: past?.continued ?? false };
    const output = { ...about, ...earlier, ...warned, ...guessed };
    return [itemOf(uploadJson(output, simplify), itemIndex)];
  } catch (error) {
    const output = { ...about, ...stillProcessing(error, wait), warning: keyWarning };
    return [itemOf(uploadJson(output, simplify), itemIndex)];
  } finally {
    stop.close();
    await releaseSource(access, source);
  }
}

function withWarning(result: UploadResult, warning: string | undefined): UploadResult {
  if (warning === undefined) return result;
  return { ...result, warning: [warning, result.warning].filter((one) => one !== undefined).join(' ') };
}

interface Sending {
  readonly service: Service;
  readonly request: UploadRequest;
  readonly access: SourceAccess;
  readonly hooks: DirectHooks & Pick<ProgressView, 'onProgress'>;
  /** Folder of the journals. Unset: no journal is written. */
  readonly folder: string | undefined;
  readonly host: string;
  readonly again: boolean;
}

async function send(sending: Sending): Promise<{ result: UploadResult; past?: JournaledPast }> {
  const { service, request, access, hooks, folder, host, again } = sending;
  if (folder !== undefined) {
    const seals = urlSeals(service.account.secretKey);
    return runJournaled({ request, service, access, hooks, journal: { folder, host, seals, again } });
  }
  const steps = createDirectSteps(service, access, hooks);
  return { result: await runUpload(request, steps, directControl(service, steps, hooks)) };
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
