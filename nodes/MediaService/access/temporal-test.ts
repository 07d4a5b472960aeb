import type { ICredentialsDecrypted, INodeCredentialTestResult } from 'n8n-workflow';
import { ConfigurationError } from '../../../api/errors';
import { handOverFile } from '../../../files/sources/hand-over-file';
import { readSourceSettings } from '../../../settings/source-settings';
import { errorOfNamespace } from '../../../temporal/client/rpc-failure';
import { sentenceOf } from '../../../n8n/error-words';
import { openTemporal } from './temporal-access';
import type { TemporalAccess } from './temporal-access';

/**
 * The test of the credential "Temporal API". Connects, asks for the namespace, and writes to the shared folder if
 * there is one. Never rejects.
 */
export async function testTemporal(credential: ICredentialsDecrypted): Promise<INodeCredentialTestResult> {
  return openTemporal(credential.data ?? {})
    .then(readNamespace)
    .catch((error: unknown) => {
      return { status: 'Error', message: sentenceOf(error) };
    });
}

async function readNamespace({
  connection,
  sharedFolder,
}: TemporalAccess): Promise<INodeCredentialTestResult> {
  const { client, namespace } = connection;
  try {
    await client.workflowService.describeNamespace({ namespace }).catch((error: unknown) => {
      throw errorOfNamespace(connection, error);
    });
    if (sharedFolder !== undefined) await tryFolder(sharedFolder);
    return { status: 'OK', message: `Connected to namespace "${namespace}"` };
  } finally {
    await connection.close();
  }
}

/** Hands over an empty file as an upload would, and removes it. */
async function tryFolder(folder: string): Promise<void> {
  if (!/^(\/|[a-z]:[\\/])/i.test(folder)) {
    throw new ConfigurationError(
      'sharedFolder',
      `the shared folder ${folder} is not an absolute path`,
      '"Shared Folder" of the "Temporal API" credential must name a folder in full, as n8n and the workers mount it.',
    );
  }
  const { fileRoots = [] } = readSourceSettings();
  const { takeBack } = await handOverFile({
    folder,
    roots: fileRoots,
    fileName: 'credential-test',
    open: () => Promise.resolve(nothing()),
  });
  await takeBack();
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
