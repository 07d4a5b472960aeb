import type { ICredentialsDecrypted, INodeCredentialTestResult } from 'n8n-workflow';
import { errorOfRpc } from '../../../temporal/client/rpc-failure';
import { describeError, sentenceOf } from '../error-words';
import { openTemporal } from './temporal-access';
import type { TemporalAccess } from './temporal-access';

/** The test of the credential "Temporal API": connects and asks for the namespace. Never rejects. */
export async function testTemporal(credential: ICredentialsDecrypted): Promise<INodeCredentialTestResult> {
  return openTemporal(credential.data ?? {})
    .then(readNamespace)
    .catch((error: unknown) => {
      return { status: 'Error', message: sentenceOf(describeError(error)) };
    });
}

async function readNamespace({ connection }: TemporalAccess): Promise<INodeCredentialTestResult> {
  const { client, namespace } = connection;
  try {
    await client.workflowService.describeNamespace({ namespace }).catch((error: unknown) => {
      throw errorOfRpc(connection, undefined, error);
    });
    return { status: 'OK', message: `Connected to namespace "${namespace}"` };
  } finally {
    await connection.close();
  }
}
