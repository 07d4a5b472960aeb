import type { INodeParameters } from 'n8n-workflow';
import { NodeView } from './support/node-view';
import type { ShownError } from './support/node-view';
import type { EditorTests } from './support/use-editor';
import { showWorkflow, sideBySide } from './support/workflows';

const UPLOAD = { resource: 'upload', operation: 'upload', source: 'url' };

/** One of each way to write a wrong value; test/n8n/bad-input has all refusals. */
const REFUSED: readonly (ShownError & {
  readonly name: string;
  readonly parameters: INodeParameters;
  /** Types what the user types. */
  readonly type: (view: NodeView) => Promise<void>;
})[] = [
  {
    name: 'an expression that gives no date of the calendar',
    parameters: { resource: 'webhookDelivery', operation: 'getMany', period: 'custom' },
    type: (view) => view.writeExpression('from', '{{ "31 Nov 2026" }}'),
    message: '"From" isn\'t a valid date: "31 Nov 2026"',
    description:
      'Write 2026-11-01, "2026-11-01 07:00", 2026-11-01T07:00:00+01:00, -24h, -7d, now, today or yesterday.',
  },
  {
    name: 'JSON with a comma too many in a field that was added',
    parameters: {},
    type: async (view) => {
      await view.add('Add Filter', 'Tags');
      await view.write('tags', '{"campaign": "spring",}');
    },
    message: '"Tags" isn\'t valid JSON',
    description: 'Write it as {"key": "value"}, with double quotes and no comma at the end.',
  },
  {
    name: 'a malformed address',
    parameters: UPLOAD,
    type: (view) => view.write('url', 'kitchen.mp4'),
    message: '"URL" must start with http:// or https://',
    description: 'Enter the full address.',
  },
];

export function describeBadInput(on: EditorTests): void {
  test(
    'bad input is refused with the field name and what to write instead',
    on.screen(async ({ page, stage }) => {
      await showWorkflow(page, await stage.import(sideBySide(stage, REFUSED)));
      for (const { name, type, message, description } of REFUSED) {
        const view = await NodeView.open(page, name);
        await type(view);
        await view.execute();
        expect([name, await view.error()]).toEqual([name, { message, description }]);
        await view.close();
      }
    }),
  );
}
