import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type {
  IBinaryData,
  ICredentialDataDecryptedObject,
  INodeExecutionData,
  INodeParameters,
} from 'n8n-workflow';
import type { SimulatorOptions } from '../../../simulator/options';
import { writeMibFile } from '../../support/source-file';
import type { WrittenFile } from '../../support/source-file';
import { ADDITIONAL_URLS, openUploadFixture } from '../../support/upload-fixture';
import type { UploadFixture } from '../../support/upload-fixture';
import { storeBinary, useBinaryData } from './binary-data';
import type { BinaryMode } from './binary-data';
import { credentialOf } from './credential';
import { runNode } from './run-workflow';
import type { NodeRun } from './run-workflow';
import { useOpened } from './use-opened';

/** A simulator in front of a bucket of the shared S3 server, for uploads without Temporal. */
export interface N8nUploadSetting extends Omit<UploadFixture, 'writeFile'> {
  readonly credential: ICredentialDataDecryptedObject;
  /** Writes a file of `mib` MiB. */
  writeFile(name: string, mib: number): Promise<WrittenFile>;
  /** An item with a file as n8n's binary data. `about`: default its name. */
  itemOf(
    file: WrittenFile,
    about?: Partial<IBinaryData>,
    mode?: BinaryMode,
  ): Promise<INodeExecutionData & { readonly binary: { readonly data: IBinaryData } }>;
  /** Uploads binary data and returns every field, or runs another operation of the resource Upload. */
  run(parameters?: INodeParameters, more?: Partial<NodeRun>): ReturnType<typeof runNode>;
}

/** A setting for all tests of a file or `describe`. */
export const useN8nUploadSetting = (options: SimulatorOptions = {}): N8nUploadSetting =>
  useOpened(() => openN8nUploadSetting(options));

export async function openN8nUploadSetting(options: SimulatorOptions = {}): Promise<N8nUploadSetting> {
  const fixture = await openUploadFixture({ simulator: { processingMs: 30, ...options } });
  const { simulator, folder } = fixture;
  const credential = credentialOf(simulator, { advanced: true, additionalUrls: ADDITIONAL_URLS });
  return {
    ...fixture,
    credential,
    writeFile: (name, mib) => writeMibFile(folder, name, mib),
    async itemOf({ path }, about = { fileName: basename(path) }, mode = 'filesystem') {
      await useBinaryData(join(folder, 'n8n'), mode);
      return { json: {}, binary: { data: await storeBinary(await readFile(path), about) } };
    },
    run: (parameters = {}, more = {}) =>
      runNode({
        parameters: { resource: 'upload', ...('operation' in parameters ? {} : UPLOAD), ...parameters },
        credentials: { mediaServiceApi: credential },
        ...more,
      }),
  };
}

const UPLOAD = { operation: 'upload', source: 'binary', simplify: false };
