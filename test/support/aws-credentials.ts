/**
 * Sets credentials in the environment while the tests of a file run, where S3's default chain finds them.
 * `process-environment` undoes it.
 */
export function useCredentials(accessKey: string, secretKey: string): void {
  beforeAll(() => {
    process.env['AWS_ACCESS_KEY_ID'] = accessKey;
    process.env['AWS_SECRET_ACCESS_KEY'] = secretKey;
  });
}
