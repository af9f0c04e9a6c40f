/**
 * Text as the database stores it: NUL and halves of surrogate pairs become U+FFFD. Requests with
 * them are refused; what others report is stored nevertheless, and hashed as it is stored.
 */
const REPLACEMENT = '\uFFFD'
/** How JSON shows them. A text may show the same behind another backslash. */
const MAY_BE_UNSTORABLE = /\\u(?:0000|d[89a-f])/

export function storableText(text: string): string {
  return text.isWellFormed() && !text.includes('\0')
    ? text
    : text.toWellFormed().replaceAll('\0', REPLACEMENT)
}

/** The value as JSON that a column of type jsonb takes. */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value)
  return MAY_BE_UNSTORABLE.test(json) ? JSON.stringify(storable(value)) : json
}

function storable(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value)
  if (Array.isArray(value)) return value.map(storable)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [storableText(name), storable(item)]),
  )
}
