import { given, textAt } from '../../../api/json';
import { outputOf } from '../await-end';
import type { AwaitedEnd } from '../await-end';
import { itemOf } from '../items';
import type { NodeExecution } from '../node-execution';
import type { OperationOutput } from '../operation';
import { fieldsOf, simplifyOf, waitOf } from '../parameters';
import { showWarnings } from '../worker-warnings';
import { doorSource } from './door-source';
import { ownKeyOf } from './fields/ingest-key';
import { itemUpload, withFileType } from './fields/item-upload';
import { choicesOf } from './fields/upload-options';

/** Starts the upload of one file on a worker, or joins it. Its end is awaited if the form says so. */
export async function uploadOnWorker(execution: NodeExecution, itemIndex: number): Promise<OperationOutput> {
  const { context } = execution;
  const wait = waitOf(context, itemIndex);
  const simplify = simplifyOf(context, itemIndex);
  const { again } = choicesOf(fieldsOf(context, 'options', itemIndex));
  const asked = itemUpload(context, itemIndex);
  const mayJoin = ownKeyOf(context, itemIndex) !== undefined;
  const door = await execution.door(itemIndex);
  const { known, ...source } = await doorSource({ context, itemIndex, mayJoin, door });
  const media = withFileType(asked.media, known);
  const start = { ...asked, ...source, media, ...given({ again: again || undefined }) };
  // A new upload in any case: what may have begun is not started twice.
  const answer = await door.post('/v1/uploads', start, { once: again });
  const { joined = false, warnings } = answer;
  showWarnings(context, warnings, wait);
  const awaited: AwaitedEnd = {
    ...{ list: 'uploads', workflowId: textAt(answer, ['id']) ?? '', simplify },
    known: { title: media.title, joined, ingestKey: asked.ingestKey },
  };
  return wait ? awaited : [itemOf(outputOf(awaited), itemIndex)];
}
