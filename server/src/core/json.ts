/** What JSON can carry; unlike `unknown` it can be stored and hashed. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json | undefined }

/**
 * JSON with object keys in code point order at every depth: equal values give equal text, for
 * hashes.
 */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const fields = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`)
  return `{${fields.join(',')}}`
}
