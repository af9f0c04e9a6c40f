/** `npm run keys`: the keys that sign tokens, and the next one; what else the key file wraps. */
import { parseArgs } from 'node:util'
import {
  clearClientSecretsOfLostKeys,
  clientSecretsWrappedBy,
  listSigningKeys,
  readWrappingKey,
  rotateSigningKeys,
} from './access/index.ts'
import { operator } from './command.ts'
import type { Command, CommandContext } from './command.ts'
import { parseArguments, UsageError } from './core/usage.ts'
import { clearSecretsOfLostKeys, secretsWrappedBy } from './venues/index.ts'

export const KEYS: Command = { usage: 'npm run keys [-- rotate [--at-once]]', run: keys }

async function keys({ db, clock, args, key_file, say }: CommandContext): Promise<number> {
  const { values, positionals } = parseArguments(() =>
    parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { 'at-once': { type: 'boolean' } },
    }),
  )
  const at_once = values['at-once'] === true
  const [word, ...more] = positionals
  if (more.length > 0 || (word !== undefined && word !== 'rotate'))
    throw new UsageError(`it does not know ${positionals.join(' ')}`)
  if (at_once && word === undefined) throw new UsageError('--at-once belongs to rotate')
  if (word === 'rotate') {
    await rotateSigningKeys(db, clock, { key_file, at_once, by: operator() })
    const wrapping = await readWrappingKey(key_file)
    const lost = wrapping === undefined ? 0 : await clearSecretsOfLostKeys(db, wrapping.id)
    if (lost > 0)
      say(`${lost} stored secrets of venues were wrapped by a key that is lost: write them anew`)
    const closed = wrapping === undefined ? 0 : await clearClientSecretsOfLostKeys(db, wrapping.id)
    if (closed > 0)
      say(`${closed} secrets of sign-in providers were wrapped by a lost key: write them anew`)
  }
  const known = await listSigningKeys(db)
  for (const { id, signs_from, wrapped_by } of known)
    say(
      `${id} signs from ${new Date(signs_from).toISOString()}, ` +
        (wrapped_by === null ? 'not wrapped' : `wrapped by ${wrapped_by}`),
    )
  for (const { wrapped_by, secrets } of await secretsWrappedBy(db))
    say(`${secrets} stored secrets of venues, wrapped by ${wrapped_by}`)
  for (const { wrapped_by, secrets } of await clientSecretsWrappedBy(db))
    say(`${secrets} secrets of sign-in providers, wrapped by ${wrapped_by}`)
  if (known.some(({ wrapped_by }) => wrapped_by !== null))
    say(`the wrapping key is in ${key_file ?? 'KONTOR_KEY_FILE'}: keep a copy elsewhere`)
  return 0
}
