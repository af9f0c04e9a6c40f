/**
 * Passwords that many people use, from a list that comes with the service: nobody outside is asked.
 * The list is loaded when the first password is chosen, and kept.
 */

/** Added to a known word, these make no other password of it. */
const TRIMMINGS = /^[^\p{L}]+|[^\p{L}]+$/gu

let known: Promise<ReadonlySet<string>> | undefined

async function readList(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set((dictionary['passwords-common'] as readonly (string | number)[]).map(String))
}

/** Whether it is a known password, in any case, or one between figures and signs. */
export async function isKnownPassword(password: string): Promise<boolean> {
  known ??= readList().catch((error: unknown) => {
    known = undefined
    throw error
  })
  const list = await known
  const lower = password.toLowerCase()
  const word = lower.replaceAll(TRIMMINGS, '')
  return list.has(lower) || list.has(word) || word === 'kontor'
}
