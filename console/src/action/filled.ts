/** What has been filled in: texts as a request takes them, without those that are empty. */

/** Without the blanks around it; undefined when nothing is left. */
export function filledText(value: unknown): string | undefined {
  const text = String(value ?? '').trim()
  return text === '' ? undefined : text
}

export function filledTexts<Name extends string>(
  values: Readonly<Record<Name, unknown>>,
): Partial<Record<Name, string>> {
  const texts = Object.entries(values).map(([name, value]) => [name, filledText(value)] as const)
  const filled = texts.filter(([, text]) => text !== undefined)
  return Object.fromEntries(filled) as Partial<Record<Name, string>>
}
