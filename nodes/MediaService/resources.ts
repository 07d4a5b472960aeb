import { BATCH_ID } from './batch/batch-fields';
import { getResults } from './batch/getResults.operation';
import { retryFailed } from './batch/retryFailed.operation';
import { start } from './batch/start.operation';
import { controlOperations } from './control';
import { get } from './media/get.operation';
import { search } from './media/search.operation';
import type { Resource } from './operation';
import { identifiedBy, sessionItems, WORKFLOW_ID } from './upload/session';
import { upload } from './upload/upload.operation';
import { exportDeliveriesOperation } from './webhookDelivery/export.operation';
import { getMany } from './webhookDelivery/getMany.operation';
import { report } from './webhookDelivery/report.operation';

const ofUploads = controlOperations({
  one: 'upload',
  article: 'an',
  many: 'uploads',
  pauses: 'Let running parts end and begin no new ones',
  cancelNote:
    'Sending ends. An upload session that was started stays in the service, which has no call to remove it: ask its operator.',
  id: WORKFLOW_ID,
  idHint:
    'Take it from the output of Upload > Upload. An upload inside n8n has none: in Get and Wait choose "Identify Upload By: Upload ID".',
  parametersOf: identifiedBy,
  session: sessionItems,
});

const ofBatches = controlOperations({
  one: 'batch',
  article: 'a',
  many: 'batches',
  pauses: 'Begin no new rows and pause running uploads',
  cancelNote:
    'Running uploads end, and the batch results are written. If you start it again under the same ID, the batch continues where it stopped.',
  id: BATCH_ID,
});

/** Operations in the order of the list. The first one of a resource is chosen by itself. */
export const RESOURCES: readonly Resource[] = [
  { option: { name: 'Media', value: 'media' }, operations: [search, get] },
  {
    option: { name: 'Webhook Delivery', value: 'webhookDelivery' },
    operations: [exportDeliveriesOperation, getMany, report],
  },
  { option: { name: 'Upload', value: 'upload' }, operations: [upload, ...ofUploads] },
  {
    option: { name: 'Batch', value: 'batch' },
    operations: [
      start,
      ...[getResults, retryFailed, ...ofBatches].sort((a, b) => (a.option.name < b.option.name ? -1 : 1)),
    ],
  },
];
