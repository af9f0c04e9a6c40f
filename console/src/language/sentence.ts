/**
 * A text with what stands in it. Values are written into it once and as they are: names and
 * references come from outside, and may look like the marks of a text.
 */
import i18next from 'i18next'

export type Values = Readonly<Record<string, string | number | null | undefined>>

/** In the language of the page. `count` chooses the plural, `context` the word. */
export const textOf = (key: string, { count, context }: Values): string =>
  i18next.t(key, { count, context, skipInterpolation: true })

/** A mark without a value stays: texts stand in tables, and are filled later. */
export const filled = (text: string, values: Values): string =>
  text.replaceAll(/\{\{(\w+)\}\}/g, (mark, name: string) =>
    Object.hasOwn(values, name) ? String(values[name] ?? '') : mark,
  )

/** Words, or a part of the page, with the words inside of it. */
type SentencePart = { text: string } | { part: string; inside?: string }

/** The parts of a text whose values are not yet in it. */
export function partsOf(text: string): SentencePart[] {
  const parts: SentencePart[] = []
  let end = 0
  for (const found of text.matchAll(
    /<(?<alone>\w+)\/>|<(?<part>\w+)>(?<inside>.*?)<\/\k<part>>/gs,
  )) {
    const { alone, part = '', inside = '' } = found.groups ?? {}
    if (found.index > end) parts.push({ text: text.slice(end, found.index) })
    parts.push(alone === undefined ? { part, inside } : { part: alone })
    end = found.index + found[0].length
  }
  if (end < text.length) parts.push({ text: text.slice(end) })
  return parts
}
