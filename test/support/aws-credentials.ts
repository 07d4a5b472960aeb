const CREDENTIALS = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] as const;

/** Sets credentials in the environment while the tests of a file run, where S3's default chain finds them. */
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
