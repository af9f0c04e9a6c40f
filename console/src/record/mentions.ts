type Person = { id: string; name: string }

/** Whom a text mentions as `@name`. A longer name goes first: “@Tara Treasurer” is not Tara. */
export function mentionedIn(text: string, people: readonly Person[]): string[] {
  let rest = text
  const longestFirst = people.toSorted((one, other) => other.name.length - one.name.length)
  const mentioned: string[] = []
  for (const { name } of longestFirst) {
    if (!rest.includes(`@${name}`)) continue
    // Who has the same name is mentioned too: nobody can tell which of them is meant.
    mentioned.push(...people.filter((person) => person.name === name).map(({ id }) => id))
    rest = rest.replaceAll(`@${name}`, '')
  }
  return mentioned
}
