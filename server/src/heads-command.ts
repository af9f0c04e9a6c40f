/** `npm run heads`: which key signs, what was signed last; and a new key. */
import { parseArgs } from 'node:util'
import { readFile } from 'node:fs/promises'
import { recordForInstallation } from './access/index.ts'
import { operator } from './command.ts'
import type { Command, CommandContext } from './command.ts'
import { ofCaller, parseArguments, UsageError } from './core/usage.ts'
import {
  fingerprintOf,
  headsPlaceFrom,
  openKey,
  pemOf,
  publicKeysIn,
  readExported,
  replaceKey,
} from './heads/index.ts'
import type { HeadsPlace } from './heads/index.ts'
import { sql } from './store/sql.ts'

export const HEADS: Command = {
  usage: 'npm run heads\n       npm run heads -- new-key [--former FILE]',
  run: heads,
}

async function heads(context: CommandContext): Promise<number> {
  const { args, env } = context
  const { values, positionals } = parseArguments(() =>
    parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { former: { type: 'string' } },
    }),
  )
  const [word, ...more] = positionals
  const place = headsPlaceFrom(env)
  if (place === undefined)
    throw new UsageError('heads have no place: set DATA_DIR, or KONTOR_HEADS and KONTOR_HEADS_KEY')
  if (more.length > 0 || (word !== undefined && word !== 'new-key'))
    throw new UsageError(`it does not know ${positionals.join(' ')}`)
  if (word === undefined && values.former !== undefined)
    throw new UsageError('--former belongs to new-key')
  try {
    return await (word === undefined
      ? sayKey(context, place)
      : makeNewKey(context, place, values.former))
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

async function sayKey({ db, say }: CommandContext, { key, folder }: HeadsPlace): Promise<number> {
  const { publicKey } = await openKey(key)
  say(`the key ${fingerprintOf(publicKey)} in ${key} signs heads, which go to ${folder}`)
  say(pemOf(publicKey).trimEnd())
  const last = await db.query<{ name: string; number: number; day: string; hash: string }>(sql`
    select w.name, h.number, h.day, h.hash
    from workspaces w
    cross join lateral (
      select number, day, hash
      from heads
      where workspace = w.id
      order by number desc
      limit 1
    ) h
    order by w.name`)
  for (const { name, number, day, hash } of last)
    say(`${name}: head ${number} of ${day}, hash ${hash}`)
  return 0
}

/** The heads of the key before it, and of those in the file, may come before its own. */
async function makeNewKey(
  { db, clock, say }: CommandContext,
  { key }: HeadsPlace,
  file: string | undefined,
): Promise<number> {
  const text = file === undefined ? '' : await readFile(ofCaller(file), 'utf8')
  const former = [readExported(text)?.head.public_key ?? [], publicKeysIn(text)].flat()
  if (file !== undefined && former.length === 0) throw new UsageError(`${file} holds no key`)
  const { publicKey, known } = await db.tx(async (tx) => {
    const made = await replaceKey(key, former, clock.now())
    const [name, ...names] = [made.publicKey, ...made.known].map(fingerprintOf)
    const follows = names.filter((one) => one !== name)
    await recordForInstallation(tx, clock.now(), [
      { kind: 'HEAD_KEY_REPLACED', actor: operator(), details: { key: name, follows } },
    ])
    return made
  })
  say(`the key ${fingerprintOf(publicKey)} in ${key} signs heads from now on`)
  for (const one of known) if (one !== publicKey) say(`it follows ${fingerprintOf(one)}`)
  say(pemOf(publicKey).trimEnd())
  return 0
}
