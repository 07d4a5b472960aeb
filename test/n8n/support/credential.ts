import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import type { Simulator } from '../../../simulator/start-simulator';

/** "Media Service API" as a user fills it in for the simulator. */
export function credentialOf(
  simulator: Simulator,
  change: ICredentialDataDecryptedObject = {},
): ICredentialDataDecryptedObject {
  const { apiKey, secretKey, externalId } = simulator.account;
  return {
    accessToken: '',
    baseUrl: simulator.baseUrl,
    uploadUrl: simulator.uploadUrl,
    apiKey,
    secretKey,
    externalId,
    ...change,
  };
}
