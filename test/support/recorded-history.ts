import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import type { TemporalConnection } from '../../temporal/client/connect';

/** A workflow's history in the format for replays and exports: JSON with payloads in base64. */
export async function recordedHistory(connection: TemporalConnection, workflowId: string): Promise<string> {
  const history = await connection.client.workflow.getHandle(workflowId).fetchHistory();
  return historyToJSON(history);
}

/**
 * Every readable text in recorded JSON: all strings and, recursively, what they contain in base64 (payloads). One text
 * per line.
 */
export function readableTexts(json: string): string {
  const texts: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value === 'string') texts.push(value, ...decoded(value));
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(visit);
  };
  visit(JSON.parse(json));
  return texts.join('\n');
}

function decoded(text: string): string[] {
  if (text.length < 4 || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return [];
  const plain = Buffer.from(text, 'base64').toString('utf8');
  return /^[\t\n\r -~\u00a0-\uffff]*$/.test(plain) && !plain.includes('\ufffd')
    ? [plain, ...decoded(plain)]
    : [];
}
