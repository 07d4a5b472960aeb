import type * as ClientModule from '@aws-sdk/client-s3';
import type * as StorageModule from '@aws-sdk/lib-storage';
import { ConfigurationError } from '../../api/errors';

/** Loads the client with the first request: the library is large and optional. */
export async function loadS3Client(): Promise<typeof ClientModule> {
  try {
    return await import('@aws-sdk/client-s3');
  } catch {
    throw notInstalled('@aws-sdk/client-s3');
  }
}

/** Loads the library that sends content of unknown length, in parts. */
export async function loadS3Upload(): Promise<typeof StorageModule> {
  try {
    return await import('@aws-sdk/lib-storage');
  } catch {
    throw notInstalled('@aws-sdk/lib-storage');
  }
}

function notInstalled(library: string): ConfigurationError {
  return new ConfigurationError(
    library,
    `the library "${library}" is not installed`,
    'Install what S3 needs: npm install @aws-sdk/client-s3 @aws-sdk/lib-storage',
  );
}
