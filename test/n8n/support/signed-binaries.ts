import { createServer } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { afterTest } from '../../support/after-test';
import { listen } from '../../support/listen';
import { binaryService } from './binary-data';

export interface SignedBinaries {
  readonly restApiUrl: string;
  /** Number of files that were fetched completely. */
  served(): number;
}

/** n8n's address for signed binary data, for one test: checks the token, and does not support Range. */
export async function serveSignedBinaries(): Promise<SignedBinaries> {
  let served = 0;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://n8n');
    const answer = async (): Promise<void> => {
      const id = binaryService().validateSignedToken(url.searchParams.get('token') ?? '');
      const { fileSize } = await binaryService().getMetadata(id);
      response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': String(fileSize) });
      await pipeline(await binaryService().getAsStream(id), response);
      served += 1;
    };
    answer().catch(() => response.destroy());
  });
  const { url, close } = await listen(server);
  afterTest(close);
  return { restApiUrl: `${url}/rest`, served: () => served };
}
