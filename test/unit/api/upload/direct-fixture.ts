import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { ServiceOptions } from '../../../../api/account';
import { systemClock } from '../../../../api/clock';
import type { Clock } from '../../../../api/clock';
import { createService } from '../../../../api/service/create-service';
import { createUndiciTransport } from '../../../../api/transport/undici-transport';
import { sourcesOf } from '../../../../files/sources/read-source';
import { createDirectSteps, directControl } from '../../../../api/upload/engine/direct-steps';
import type { DirectHooks } from '../../../../api/upload/engine/direct-steps';
import { runUpload } from '../../../../api/upload/engine/run-upload';
import type { UploadControl } from '../../../../api/upload/engine/run-upload';
import type { SourceAccess } from '../../../../files/sources/source-access';
import type { UploadRequest, UploadResult } from '../../../../api/upload/types';
import type { SimulatorOptions } from '../../../../simulator/options';
import { startSimulator } from '../../../../simulator/start-simulator';
import { writeSourceFile } from '../../../support/source-file';
import { createTempDir } from '../../../support/temp-dir';

export const PART_BYTES = 5 * 1024 * 1024;
const ADDITIONAL_URLS = 'POST /upload/{uploadId}/urls {"partNumbers":{partNumbers}}';

/** Real time, with pauses 50 times shorter. */
const hastyClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => systemClock.sleep(ms / 50, signal),
};

type UploadHooks = DirectHooks & Partial<Pick<UploadControl, 'onProgress'>>;

interface DirectFixtureOptions {
  readonly simulator?: SimulatorOptions;
  readonly service?: ServiceOptions;
  /** The folder of sources, which the caller removes. Default: its own. */
  readonly folder?: string;
  /** An answer that takes longer counts as missing, ms. */
  readonly silenceMs?: number;
}

export type DirectFixture = Awaited<ReturnType<typeof openDirectFixture>>;

/** A simulator, a service on it and a folder of sources, for a whole upload in this process. */
export async function openDirectFixture(options: DirectFixtureOptions = {}) {
  const own = options.folder === undefined ? await createTempDir('direct') : undefined;
  const folder = options.folder ?? own?.path ?? '';
  const simulator = await startSimulator({
    processingMs: 20,
    seed: { media: 3, deliveries: 3 },
    ...options.simulator,
  });
  const transport = createUndiciTransport();
  const { baseUrl, uploadUrl } = simulator;
  const { silenceMs = 0 } = options;
  const timeouts = { connectMs: 5_000, headersMs: silenceMs, bodyMs: silenceMs };
  const service = createService({
    account: { baseUrl, uploadUrl, ...simulator.account },
    transport: silenceMs === 0 ? transport : { send: (request) => transport.send({ ...request, timeouts }) },
    options: { additionalUrls: ADDITIONAL_URLS, ...options.service },
    clock: hastyClock,
  });
  const access: SourceAccess = {
    roots: [folder],
    sourceHosts: ['127.0.0.1'],
    transport,
    unseal: String,
    spoolDir: path.join(folder, 'spool'),
  };
  return {
    simulator,
    service,
    access,
    async writeFile(name: string, bytes: number) {
      const file = path.join(folder, name);
      return { path: file, sha256: await writeSourceFile(file, bytes, name) };
    },
    request: (file: string, { options: more, ...change }: Partial<UploadRequest> = {}): UploadRequest => ({
      source: { kind: 'path', path: file, host: 'here' },
      media: { title: 'A film', fileType: 'mp4' },
      ingestKey: `key-${randomBytes(6).toString('hex')}`,
      options: { partBytes: PART_BYTES, concurrency: 3, ...more },
      ...change,
    }),
    upload(request: UploadRequest, hooks: UploadHooks = {}): Promise<UploadResult> {
      const steps = createDirectSteps(service, sourcesOf(access), hooks);
      const control = directControl(service, steps, { onProgress: () => undefined, ...hooks });
      return runUpload(request, steps, control);
    },
    async close() {
      await transport.close();
      await simulator.close();
      await own?.remove();
    },
  };
}
