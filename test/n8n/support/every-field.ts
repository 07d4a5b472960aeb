import type { INodeProperties } from 'n8n-workflow';

/** All fields of a form, including those inside collections and rows. */
export function everyField(properties: readonly INodeProperties[]): INodeProperties[] {
  return properties.flatMap((property) => [
    property,
    ...(property.options ?? []).flatMap((option) => {
      if ('values' in option) return everyField(option.values);
      return 'type' in option ? everyField([option]) : [];
    }),
  ]);
}
