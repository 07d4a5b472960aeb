/** A row's fields before they are checked: of any type, unset if the manifest leaves them out. */
export interface RowFields {
  readonly source?: unknown;
  readonly id?: unknown;
  readonly metadata?: unknown;
  readonly media: Readonly<Record<string, unknown>>;
}

const OF_MEDIA = ['fileType', 'title', 'creator', 'resolution', 'duration'] as const;
const OF_INSIGHTS = ['isLibrary', 'includeInReport'] as const;

/** Moves the columns' fields to where an upload has them. */
export function gatherFields(fields: ReadonlyMap<string, unknown>, tags: unknown): RowFields {
  const media: Record<string, unknown> = {};
  for (const name of OF_MEDIA) if (fields.has(name)) media[name] = fields.get(name);
  if (tags !== undefined) media['tags'] = tags;
  const insights: Record<string, unknown> = {};
  for (const name of OF_INSIGHTS) if (fields.has(name)) insights[name] = fields.get(name);
  if (OF_INSIGHTS.some((name) => fields.has(name))) media['insights'] = insights;
  return { source: fields.get('source'), id: fields.get('id'), metadata: fields.get('metadata'), media };
}
