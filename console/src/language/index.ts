/**
 * The language of the console. A text is written in English where it is used, `t('Paid')`, and that
 * is its key. The choice is kept in the browser; to change it loads the page again, so that texts
 * may stand in tables that are made once.
 */
import i18next from 'i18next'
import { ENGLISH } from './english.ts'
import { filled, textOf } from './sentence.ts'
import type { Values } from './sentence.ts'
import { sayer } from './service.ts'
import type { Words } from './service.ts'

export type { Words } from './service.ts'
export { Trans } from './trans.ts'

export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const
type Language = keyof typeof LANGUAGES

export const isLanguage = (text: string): text is Language => Object.hasOwn(LANGUAGES, text)

const KEY = 'kontor.language'

/** `undefined`: nobody has chosen, and the browser's language counts. */
export function chosenLanguage(): Language | undefined {
  // The build reads the table of pages outside a browser.
  const kept = typeof localStorage === 'undefined' ? null : localStorage.getItem(KEY)
  return kept !== null && isLanguage(kept) ? kept : undefined
}

const ofBrowser = (): Language =>
  typeof document !== 'undefined' && navigator.language.startsWith('de') ? 'de' : 'en'

export const language: Language = chosenLanguage() ?? ofBrowser()

export function chooseLanguage(choice: Language): void {
  localStorage.setItem(KEY, choice)
  location.reload()
}

const german = language === 'de' ? await import('./german/index.ts') : undefined
const texts = german?.GERMAN ?? {}
const sayOfService = sayer(german?.SERVICE ?? {})

void i18next.init({
  lng: language,
  resources: { en: { translation: ENGLISH }, de: { translation: texts } },
  fallbackLng: 'en',
  // Keys are sentences: dots and colons in them mean nothing.
  keySeparator: false,
  nsSeparator: false,
  initAsync: false,
})

if (typeof document !== 'undefined') document.documentElement.lang = language

/** The text in the language of the page. `count` chooses the plural. */
export const t = (text: string, values: Values = {}): string => filled(textOf(text, values), values)

/** What a code or a field of the API is called; undefined where its English words say it. */
export const wordFor = (code: string): string | undefined =>
  Object.hasOwn(texts, code) ? texts[code] : undefined

/**
 * A sentence of the service in the language of the page; undefined where it has none. `words`: how
 * the names and codes in it are said.
 */
export const said = (sentence: string, words: Words = (found) => found): string | undefined =>
  sayOfService(sentence, words)

/** A text that goes on in a sentence. German nouns, and abbreviations, keep their capital. */
export const lowered = (text: string): string =>
  language === 'de' || /^[A-Z]{2}/.test(text)
    ? text
    : `${text.charAt(0).toLowerCase()}${text.slice(1)}`
