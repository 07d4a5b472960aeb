/** The fields without those that are undefined. */
export function given<T extends object>(fields: T): { [Name in keyof T]?: Exclude<T[Name], undefined> };
export function given(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
