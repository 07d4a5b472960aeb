import { planParts } from '../../api/upload/parts/part-plan';
import { plainLine } from '../output/plain-text';
import type { Terminal } from '../output/terminal';
import { formatBytes, formatCount } from '../output/units';
import type { PlannedUpload } from './upload-plan';

/** Prints what would be uploaded, one line each on stdout, with the sum on stderr. */
export async function printDryRun(
  terminal: Terminal,
  planned: readonly PlannedUpload[],
  json: boolean,
): Promise<void> {
  const uploads = planned.map((upload) => ({ ...upload, parts: partsOf(upload) }));
  for (const { file, fileType, bytes, parts, request } of uploads) {
    if (json) await terminal.json({ file, fileType, bytes, parts, ingestKey: request.ingestKey });
    else await terminal.data(`${plainLine(`${file}: ${factsOf({ fileType, bytes, parts })}`)}\n`);
  }
  if (json) return;
  const sum = (of: (upload: (typeof uploads)[number]) => number | undefined): number =>
    uploads.reduce((total, upload) => total + (of(upload) ?? 0), 0);
  const files = `${formatCount(uploads.length)} file${uploads.length === 1 ? '' : 's'}`;
  const unknown = uploads.filter(({ bytes }) => bytes === undefined).length;
  const rest = unknown === 0 ? '' : `, and ${formatCount(unknown)} of unknown size`;
  terminal.note(
    `${files}, ${sizeText(
      sum(({ bytes }) => bytes),
      sum(({ parts }) => parts),
    )}${rest}. Nothing was started.`,
  );
}

function partsOf({ bytes, request: { options } }: PlannedUpload): number | undefined {
  return bytes === undefined ? undefined : planParts({ bytes, ...options }).length;
}

function factsOf({
  fileType = 'type determined by the worker',
  bytes,
  parts,
}: {
  readonly fileType: string | undefined;
  readonly bytes: number | undefined;
  readonly parts: number | undefined;
}): string {
  const size =
    bytes === undefined || parts === undefined ? 'size known by the worker' : sizeText(bytes, parts);
  return `${fileType}, ${size}`;
}

/** `300.0 MB in 15 parts`. */
function sizeText(bytes: number, parts: number): string {
  return `${formatBytes(bytes)} in ${formatCount(parts)} part${parts === 1 ? '' : 's'}`;
}
