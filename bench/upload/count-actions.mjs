/**
 * Billable actions of one workflow as its history shows them: its start, every try of every activity, timers, signals and changes of its
 * memo. Heartbeats and queries leave no trace in a history and are not in the count: a part that is done within five seconds sends no
 * heartbeat, a longer one sends one every 16 s; whoever watches queries at most every 5 s.
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
