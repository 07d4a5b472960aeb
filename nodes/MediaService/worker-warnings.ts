import type { IExecuteFunctions } from 'n8n-workflow';
import { isJsonObject, textAt } from '../../api/json';
import type { JsonValue } from '../../api/json';

/** The warnings shown in each execution, so that a hundred items do not repeat the same one. */
const said = new WeakMap<IExecuteFunctions, Set<string>>();

/**
 * Shows the warnings of the door in the editor and in n8n's log, for example that no worker runs. If the node waits for
 * the end, they go to the editor's console, because the user sees the output only at the end.
 */
export function showWarnings(
  context: IExecuteFunctions,
  warnings: JsonValue | undefined,
  waits = false,
): void {
  const before = said.get(context) ?? new Set();
  said.set(context, before);
  for (const warning of Array.isArray(warnings) ? warnings.filter(isJsonObject) : []) {
    const [message = '', hint = ''] = ['message', 'hint'].map((name) => textAt(warning, [name]));
    const text = `${message.replace(/\.$/, '')}. ${hint}`.trim();
    if (before.has(text)) continue;
    before.add(text);
    context.logger.warn(`${context.getNode().name}: ${text}`);
    if (!waits) context.addExecutionHints({ message: text, type: 'warning', location: 'outputPane' });
    else if (context.getMode() === 'manual') context.sendMessageToUI(text);
  }
}
