/**
 * What the service says is English: it speaks to programs as well. Here a sentence is found by its
 * form, in which `{{…}}` stands for any words, and said in the other language.
 */
/** Says what stands in a sentence; `name`: that of its place in the form. */
export type Words = (found: string, name: string) => string
type Form = { pattern: RegExp; names: readonly string[]; says: string }

/** A longer sentence is shown as it is: the time that a form takes grows with it. */
const LONGEST = 500
const NAME = /\{\{(.+?)\}\}/g

/** Answers undefined for a sentence that has no form. `words`: what stands in it, as it is said. */
export function sayer(
  texts: Readonly<Record<string, string>>,
): (sentence: string, words: Words) => string | undefined {
  // The forms with the most words of their own first: they say more exactly what is meant.
  const forms = Object.entries(texts)
    .filter(([form]) => form.includes('{{'))
    .map(([form, says]): Form & { own: number } => ({
      pattern: new RegExp(`^${form.split(NAME).map(partOf).join('')}$`, 's'),
      names: [...form.matchAll(NAME)].map(([, name = '']) => name),
      says,
      own: form.replaceAll(NAME, '').length,
    }))
    .toSorted((a, b) => b.own - a.own)
  return (sentence, words) => {
    if (Object.hasOwn(texts, sentence)) return texts[sentence]
    if (sentence.length > LONGEST) return undefined
    for (const { pattern, names, says } of forms) {
      const found = pattern.exec(sentence)
      if (found !== null) return filled(says, valuesOf(names, found), words)
    }
    return undefined
  }
}

/** The values of each name, in their order. */
function valuesOf(names: readonly string[], found: RegExpExecArray): Map<string, string[]> {
  const values = new Map<string, string[]>()
  for (const [index, name] of names.entries())
    values.set(name, [...(values.get(name) ?? []), found[index + 1] ?? ''])
  return values
}

/** A name that stands twice has its values in the order in which English has them. */
function filled(
  says: string,
  values: ReadonlyMap<string, readonly string[]>,
  words: Words,
): string {
  const used = new Map<string, number>()
  return says.replaceAll(NAME, (_all, name: string) => {
    const at = used.get(name) ?? 0
    used.set(name, at + 1)
    return words(values.get(name)?.[at] ?? '', name)
  })
}

/** A value right before another one ends where a part of the sentence ends. */
function partOf(part: string, index: number, parts: readonly string[]): string {
  if (index % 2 === 0) return part.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')
  return parts[index + 1] === '' && index + 2 < parts.length ? '([^:;,(]*)' : '(.*?)'
}
