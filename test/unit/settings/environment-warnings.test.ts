import { environmentWarnings } from '../../../settings/environment-warnings';

describe('a variable that nothing reads', () => {
  test.each<[label: string, name: string, hint: string]>([
    ['with a typing mistake', 'MEDIA_SERVICE_APIKEY', 'Did you mean MEDIA_SERVICE_API_KEY?'],
    ['in the singular', 'MEDIA_SERVICE_FILE_ROOT', 'Did you mean MEDIA_SERVICE_FILE_ROOTS?'],
    ['with a needless _FILE', 'MEDIA_SERVICE_BASE_URL_FILE', 'docs/configuration.md lists all variables.'],
    ['unlike all known ones', 'MEDIA_SERVICE_COLOUR', 'docs/configuration.md lists all variables.'],
  ])('%s is named', (_label, name, hint) => {
    expect(environmentWarnings({ [name]: 'x' })).toEqual([
      { message: `${name} is set, but nothing reads it`, hint },
    ]);
  });

  test("is not the user's mistake if Kubernetes set it for a service called media-service", () => {
    const names = ['SERVICE_HOST', 'SERVICE_PORT', 'SERVICE_PORT_HTTP', 'PORT', 'PORT_80_TCP_ADDR'];
    const env = Object.fromEntries(names.map((name) => [`MEDIA_SERVICE_${name}`, 'x']));
    expect(environmentWarnings(env)).toEqual([]);
  });
});
