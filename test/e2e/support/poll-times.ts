/**
 * For a trigger that polls only when its workflow is published and when n8n starts: its next other poll is on a 29
 * February.
 */
export const NO_POLL_TIMES = { item: [{ mode: 'custom', cronExpression: '0 0 0 29 2 *' }] };
