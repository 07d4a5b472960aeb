import { expect, jest, test } from '@jest/globals';
import { createS3 } from '../../../../files/s3/s3-client';
import { loadS3Upload } from '../../../../files/s3/s3-library';
import { failureOf } from '../../api/upload/failure-of';

jest.mock('@aws-sdk/client-s3', () => {
  throw new Error('client-s3 is not there.');
});
jest.mock('@aws-sdk/lib-storage', () => {
  throw new Error('lib-storage is not there.');
});

const INSTALL = 'Install what S3 needs: npm install @aws-sdk/client-s3 @aws-sdk/lib-storage';

test('if the S3 libraries are missing, the error has the command that installs them', async () => {
  const reading = await failureOf(createS3().facts({ bucket: 'films', key: 'a' }));
  expect([reading.code, reading.message]).toEqual([
    'Configuration',
    'the library "@aws-sdk/client-s3" is not installed',
  ]);
  expect([reading.facts.hint, (await failureOf(loadS3Upload())).facts.hint]).toEqual([INSTALL, INSTALL]);
});
