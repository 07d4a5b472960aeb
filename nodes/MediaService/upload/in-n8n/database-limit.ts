import type { IBinaryData } from 'n8n-workflow';
import { ConfigurationError } from '../../../../api/errors';

/** The maximum length of a text in Node, in characters. */
const LONGEST_TEXT = 0x1fffffe8;
/** PostgreSQL returns a file to n8n as one text: `\x`, then two digits per byte. */
const READABLE_BYTES = (LONGEST_TEXT - 2) / 2;

/**
 * Refuses binary data that n8n has stored in its database but can't read. From PostgreSQL such a read would never end,
 * and would block a database connection of n8n. In binary mode `database`, the default in queue mode, n8n can store 512
 * MiB there but read only 256 MiB.
 */
export function refuseUnreadable({ id, bytes }: IBinaryData): void {
  const inDatabase = id?.startsWith('database:') === true;
  if (!inDatabase || bytes === undefined || bytes <= READABLE_BYTES) return;
  throw new ConfigurationError(
    'binaryPropertyName',
    `n8n can't read this file back from its database: it has ${bytes} bytes, and a database gives n8n ${READABLE_BYTES} at most`,
    'Let n8n store binary data elsewhere (N8N_DEFAULT_BINARY_DATA_MODE=filesystem, with a folder that main and workers share, or s3), or upload the file from its URL.',
  );
}
