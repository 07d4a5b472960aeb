import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { IBinaryData, ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';
import type { SimulatorOptions } from '../../../simulator/options';
import { writeSourceFile } from '../../support/source-file';
import { ADDITIONAL_URLS, MIB, openUploadFixture } from '../../support/upload-fixture';
import type { UploadFixture } from '../../support/upload-fixture';
import { credentialOf } from './credential';
import { binaryService, runNode, useBinaryData } from './run-workflow';
import type { NodeRun } from './run-workflow';
import { useOpened } from './use-opened';

export interface WrittenFile {
  readonly path: string;
  readonly sha256: string;
}

/** A simulator in front of a bucket of the shared S3 server, for uploads without Temporal. */
export interface N8nUploadSetting extends Pick<UploadFixture, 'simulator' | 'folder' | 'close'> {
  readonly credential: ICredentialDataDecryptedObject;
  /** Writes a file of `mib` MiB. */
  writeFile(name: string, mib: number): Promise<WrittenFile>;
  /** Stores a file as n8n's binary data. */
  storeBinary(
    file: WrittenFile,
    mode: 'filesystem' | 'default',
    about?: Partial<IBinaryData>,
  ): Promise<IBinaryData>;
  /** Runs an operation of the resource Upload. */
  run(parameters: INodeParameters, more?: Partial<NodeRun>): ReturnType<typeof runNode>;
  /** SHA-256 of the stored content of the newest session. */
  storedSha256(): Promise<string>;
}

/** A setting for all tests of a file or `describe`. */
export const useN8nUploadSetting = (options: SimulatorOptions = {}): N8nUploadSetting =>
  useOpened(() => openN8nUploadSetting(options));

export async function openN8nUploadSetting(options: SimulatorOptions = {}): Promise<N8nUploadSetting> {
  const fixture = await openUploadFixture({ simulator: { processingMs: 30, ...options } });
  const { simulator, folder } = fixture;
  const credential = credentialOf(simulator, { advanced: true, additionalUrls: ADDITIONAL_URLS });
  return {
    simulator,
    folder,
    credential,
    async writeFile(name, mib) {
      const path = join(folder, name);
      return { path, sha256: await writeSourceFile(path, Math.floor(mib * MIB), name) };
    },
    async storeBinary(file, mode, about = {}) {
      await useBinaryData(join(folder, 'n8n'), mode);
      const binary = { mimeType: 'video/mp4', data: '', ...about };
      const location = { type: 'execution', workflowId: 'w', executionId: 'e' } as const;
      return binaryService().store(location, await readFile(file.path), binary);
    },
    run: (parameters, more = {}) =>
      runNode({
        parameters: {
          resource: 'upload',
          // Return every field of the upload.
          ...(parameters['operation'] === 'upload' ? { simplify: false } : {}),
          ...parameters,
        },
        credentials: { mediaServiceApi: credential },
        ...more,
      }),
    async storedSha256() {
      const session = simulator.seen().sessions.at(-1);
      return simulator.objectSha256(session?.keyName ?? 'no such session');
    },
    close: () => fixture.close(),
  };
}
