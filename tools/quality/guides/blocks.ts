/**
 * The code of a guide. Every `sh` and `js` block runs; one with a name after the language is a
 * file. A `json` or `text` block is what the block before it prints; with `about` its amounts may
 * be a little different.
 */

export type Shown = { text: string; about: boolean; line: number }
export type Block = {
  language: 'sh' | 'js'
  code: string
  line: number
  /** The file that it is; it does not run by itself. */
  file: string | undefined
  shown: Shown | undefined
}

const FENCE = /^```(\w+)(?: ([^\n]+))?\n([\s\S]*?)^```$/gm

/** Throws when an answer stands nowhere behind code. */
export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = []
  for (const { index, 1: language, 2: note, 3: code = '' } of markdown.matchAll(FENCE)) {
    const line = markdown.slice(0, index).split('\n').length
    if (language === 'sh' || language === 'js')
      blocks.push({ language, code, line, file: note, shown: undefined })
    if (language !== 'json' && language !== 'text') continue
    const before = blocks.at(-1)
    if (before === undefined || before.shown !== undefined)
      throw new Error(`line ${line} shows an answer, and nothing before it asks for one`)
    before.shown = { text: code, about: note === 'about', line }
  }
  return blocks
}
