/** The options of a configuration, as named texts. */

/** Throws RangeError naming what is missing. */
export function mustHaveText(values: Record<string, string>, name: string): string {
  const value = values[name]
  if (value === undefined || value === '')
    throw new RangeError(`the bank's configuration lacks ${name}`)
  return value
}
