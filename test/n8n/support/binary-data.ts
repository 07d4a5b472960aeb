import { Container } from '@n8n/di';
import { BinaryDataConfig, BinaryDataService } from 'n8n-core';
import type { IBinaryData } from 'n8n-workflow';

export type BinaryMode = 'filesystem' | 'default';

/** n8n's binary data service on a folder. */
export function useBinaryData(folder: string, mode: BinaryMode = 'filesystem'): Promise<void> {
  const config = Container.get(BinaryDataConfig);
  Object.assign(config, { mode, localStoragePath: folder, signingSecret: 'signing-secret-of-the-test' });
  return binaryService().init();
}

export function binaryService(): BinaryDataService {
  return Container.get(BinaryDataService);
}

/** Stores a file as n8n's binary data of an execution. */
export function storeBinary(content: Buffer, about: Partial<IBinaryData> = {}): Promise<IBinaryData> {
  const location = { type: 'execution', workflowId: 'w', executionId: 'e' } as const;
  return binaryService().store(location, content, { mimeType: 'video/mp4', data: '', ...about });
}

/** The content of an output's file. */
export async function binaryText(data: IBinaryData | undefined): Promise<string> {
  if (data === undefined) throw new Error('The item has no such binary data.');
  return (await binaryService().getAsBuffer(data)).toString('utf8');
}
