import { redact } from '../../../../api/answers/redact';
import { failedReport } from '../../../../temporal/reports/workflow';

const HOOK = 'webhook:hooks.example.org#0123456789ab';
const OTHER = 'webhook:hooks.example.org#ba9876543210';
const MAIL = 'mail:ops@example.org';
const FOLDER = 'file:/srv/reports@harbour';
const targets = [HOOK, OTHER, MAIL, FOLDER];

const gone = {
  code: 'RequestRefused' as const,
  message: 'the webhook answered 410',
  facts: { hint: 'Nobody receives there.', status: 410 },
  targets: [OTHER],
};
const unknown = {
  code: 'Configuration' as const,
  message: 'there is no secret named "smtp" in /etc/secrets.json.',
  facts: { hint: 'Add it.' },
  targets: [MAIL],
};
const delivered = (target: string) => ({ target, outcome: 'delivered' as const });

const RUN = { schedule: 'morning', targets, failures: [unknown, gone], results: [] };

describe('the failure of a report run', () => {
  test('has a line for each target with what to do, and shows which was reached', () => {
    const results = [delivered(HOOK), delivered(FOLDER)];
    const { code, message, facts } = failedReport({ ...RUN, results });
    expect(message.split('\n')).toEqual([
      'The report "morning" failed.',
      `  ${HOOK}: delivered`,
      `  ${OTHER}: the webhook answered 410. Nobody receives there.`,
      `  ${MAIL}: there is no secret named "smtp" in /etc/secrets.json. Add it.`,
      `  ${FOLDER}: delivered`,
    ]);
    expect(code).toBe('Configuration');
    expect(facts).toMatchObject({
      hint: "Each target's line says what to do. The next run delivers what is missing.",
      details: { schedule: 'morning', targetsReached: 2, targetsFailed: 2 },
    });
  });

  test('keeps the names of secrets and of webhooks when it is redacted', () => {
    const { message } = failedReport(RUN);
    expect(redact(message)).toBe(message);
  });

  test('has the line and the status of the reason for each target that failed together', () => {
    const both = { targets: [HOOK, OTHER] };
    const { message, facts } = failedReport({ ...RUN, ...both, failures: [{ ...gone, ...both }] });
    expect(message.split('\n').slice(1)).toEqual([
      `  ${HOOK}: the webhook answered 410. Nobody receives there.`,
      `  ${OTHER}: the webhook answered 410. Nobody receives there.`,
    ]);
    const hint = 'Nobody receives there. The next run delivers what is missing.';
    expect(facts).toMatchObject({ hint, status: 410 });
  });
});
