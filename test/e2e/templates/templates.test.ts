/** One n8n for all workflows to import; each file beside this one runs some of them. */
import { useStage } from '../support/n8n-stage';
import { describeBatchTemplates } from './batches';
import { describeDeliveryTemplates } from './deliveries';
import { describeMediaTemplates } from './media';
import { describeHandOffTemplate } from './worker';
import { describeUploadTemplates } from './uploads';

const on = useStage({
  simulator: { seed: { media: 30, deliveries: 0 } },
  env: ({ folder }) => ({ N8N_RESTRICT_FILE_ACCESS_TO: folder }),
});

describeMediaTemplates(on);
describeDeliveryTemplates(on);
describeUploadTemplates(on);
describeHandOffTemplate(on);
describeBatchTemplates(on);
