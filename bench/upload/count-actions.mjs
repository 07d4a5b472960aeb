/**
 * Billable actions in the history of one workflow: its start, every try of every activity, timers, signals and changes
 * of its memo. Heartbeats and queries are not in a history and are not counted. A part that takes less than five
 * seconds sends no heartbeat, and a longer one sends one every 16 s. A watching client queries every 5 s at most.
 */
export function countActions(events) {
  let actions = 0;
  for (const event of events) {
    if (event.workflowExecutionStartedEventAttributes) actions += 1;
    if (event.activityTaskStartedEventAttributes) actions += event.activityTaskStartedEventAttributes.attempt;
    if (event.timerStartedEventAttributes) actions += 1;
    if (event.workflowExecutionSignaledEventAttributes) actions += 1;
    if (event.workflowPropertiesModifiedEventAttributes) actions += 1;
  }
  return actions;
}
