/** XML as it is written: elements in each other, with texts that fit what a schema allows. */

/** What was not written is left out. */
type Inner = string | undefined

export const element = (name: string, ...inner: readonly Inner[]): string =>
  `<${name}>${inner.join('')}</${name}>`

/** An element with a text of at most so many characters; none for an empty one. */
export function textElement(name: string, text: string, most: number): Inner {
  const [written = ''] = cutText(text, most)
  return written === '' ? undefined : element(name, escape(written))
}

/** The whole text, in as many elements as it takes. */
export const textElements = (name: string, text: string, most: number): string =>
  cutText(text, most)
    .map((part) => element(name, escape(part)))
    .join('')

/** By characters as XML counts them, none of which it forbids; breaks and blanks become one. */
function cutText(text: string, most: number): string[] {
  const characters = [
    ...text
      .toWellFormed()
      .replaceAll(/[\s\p{Cc}\uFFFE\uFFFF]+/gu, ' ')
      .trim(),
  ]
  const parts: string[] = []
  for (let at = 0; at < characters.length; at += most)
    parts.push(characters.slice(at, at + most).join(''))
  return parts
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

const escape = (text: string): string => text.replaceAll(/[&<>]/g, (found) => ENTITIES[found] ?? '')
