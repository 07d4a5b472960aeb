import type { BatchResult } from '../../temporal/batch/types';
import { plainLine } from '../output/plain-text';
import { formatBytes, formatCount } from '../output/units';
import { countsText, rowsText } from './batch-text';

/** How a batch ended, for people: counts, the location of its results, and what helps if rows failed. */
export function batchEndLines({ batchId, counts, results }: BatchResult): string[] {
  const lines = [
    `${batchId}: ended, ${rowsText(counts.rows)}: ${countsText(counts)}, ${formatBytes(counts.bytes)}`,
    `  Results: ${results.csv} and ${results.jsonl}`,
  ];
  const open = counts.failed + counts.cancelled;
  if (open === 0) return lines.map(plainIndented);
  return [
    ...lines,
    ...(results.failed === undefined ? [] : [`  Failed rows as a manifest: ${results.failed}`]),
    `  See why: media-service batch show ${batchId}`,
    `  Upload ${open === 1 ? 'it' : `the ${formatCount(open)}`} once more: media-service batch retry-failed ${batchId}`,
  ].map(plainIndented);
}

function plainIndented(line: string): string {
  const indent = /^ */.exec(line)?.[0] ?? '';
  return indent + plainLine(line);
}
