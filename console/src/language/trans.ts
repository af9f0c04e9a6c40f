/** A text with parts of the page in it: `<name/>`, or `<a>words</a>`. */
import { cloneElement, createElement, Fragment } from 'react'
import type { ReactElement, ReactNode } from 'react'
import { filled, partsOf, textOf } from './sentence.ts'
import type { Values } from './sentence.ts'

export function Trans({
  i18nKey,
  components,
  values = {},
  count,
}: {
  i18nKey: string
  components: Readonly<Record<string, ReactElement>>
  values?: Values
  /** Chooses the plural, and stands in the text as a value. */
  count?: number
}): ReactNode {
  const all = count === undefined ? values : { ...values, count }
  return partsOf(textOf(i18nKey, all)).map((part, index) => {
    if ('text' in part) return filled(part.text, all)
    const component = components[part.part]
    if (component === undefined) return undefined
    const shown =
      part.inside === undefined ? component : cloneElement(component, {}, filled(part.inside, all))
    return createElement(Fragment, { key: index }, shown)
  })
}
