import { afterAll, beforeAll } from '@jest/globals';

const CREDENTIALS = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] as const;

/** Credentials in the environment while the tests of a file run: there the default chain of S3 finds them. */
export function useCredentials(accessKey: string, secretKey: string): void {
  const before = CREDENTIALS.map((name) => [name, process.env[name]] as const);
  beforeAll(() => {
    process.env['AWS_ACCESS_KEY_ID'] = accessKey;
    process.env['AWS_SECRET_ACCESS_KEY'] = secretKey;
  });
  afterAll(() => {
    for (const [name, value] of before) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
  });
}
