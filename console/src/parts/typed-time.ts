/** Times that people type otherwise than they are shown: a day alone, or as German writes it. */

const YEAR_FIRST = /^(?<year>\d{4})-(?<month>\d{1,2})-(?<day>\d{1,2})$/
const DAY_FIRST =
  /^(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4})(?:,? +(?<hour>\d{1,2}):(?<minute>\d{2}))?$/

/** Local time; a day alone is its beginning. Undefined for what is no such day, or another form. */
export function typedTime(text: string): number | undefined {
  const typed = text.trim()
  const found = (YEAR_FIRST.exec(typed) ?? DAY_FIRST.exec(typed))?.groups
  if (found === undefined) return undefined
  const { year, month, day, hour = 0, minute = 0 } = found
  const parts = [
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
  ] as const
  const date = new Date(...parts)
  const read = [
    date.getFullYear(),
    date.getMonth(),
    date.getDate(),
    date.getHours(),
    date.getMinutes(),
  ]
  return read.every((part, index) => part === parts[index]) ? date.getTime() : undefined
}
