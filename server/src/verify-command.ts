/** `npm run verify`: the books, the chains and the heads, from the rows alone. */
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { verifySecurityLog } from './access/index.ts'
import type { Command, CommandContext } from './command.ts'
import { allInOrder } from './core/all-in-order.ts'
import { NO_WORKSPACE } from './core/ids.ts'
import type { WorkspaceId } from './core/ids.ts'
import { count, ofCaller, parseArguments, UsageError } from './core/usage.ts'
import {
  fingerprintOf,
  headsPlaceFrom,
  publicKeysIn,
  readExported,
  readFolder,
  readKeyFile,
  verifyHeads,
} from './heads/index.ts'
import type { HeadFault, KeptHead } from './heads/index.ts'
import { openCheckpoints, verifyBooks } from './ledger/index.ts'
import { sql } from './store/sql.ts'

export const VERIFY: Command = {
  usage: 'npm run verify [-- --workspace NAME --state FILE --heads FOLDER --key FILE]',
  run: verify,
}

const OPTIONS = {
  workspace: { type: 'string' },
  state: { type: 'string' },
  heads: { type: 'string' },
  key: { type: 'string', multiple: true },
} as const

/** Heads that were kept elsewhere, and whose signatures count. */
type Evidence = { kept: readonly KeptHead[]; keys: ReadonlySet<string> | undefined }

type Verified = { faults: number; day: string | undefined }

/**
 * Verifies the books of all workspaces, or of one, while a service may be writing. With a state
 * file it goes on where the file says that an earlier run came without faults. With a folder of
 * heads the database must be the one that they were exported from.
 */
async function verify(context: CommandContext): Promise<number> {
  const { db, args, say } = context
  const values = parseArguments(() => parseArgs({ args: [...args], options: OPTIONS }).values)
  const { workspace: name, state } = values
  const workspaces = await db.query<{ id: WorkspaceId; name: string }>(sql`
    select id, name
    from workspaces
    where ${name === undefined ? sql`true` : sql`name = ${name}`}
    order by name`)
  if (name !== undefined && workspaces.length === 0)
    throw new UsageError(`there is no workspace named ${name}`)
  const file = state === undefined ? undefined : await openState(state)
  const evidence = await evidenceOf(context, values)
  const found: Verified[] = []
  for (const workspace of workspaces) {
    const known = file?.of(workspace.id)
    const books = await verifyBooks(db, workspace.id, known)
    if (books.checkpoint !== undefined) await known?.keep(books.checkpoint)
    const log = await verifySecurityLog(db, workspace.id)
    const faults = [...books.faults, ...log.faults]
    const counts = [
      `${count(books.bookings, 'booking')} in ${count(books.batches, 'batch', 'batches')}`,
      `last hash ${books.last_hash}`,
      count(faults.length, 'fault'),
    ]
    say(`${workspace.name} (${workspace.id}): ${counts.join(', ')}`)
    for (const fault of faults) say(`  ${fault}`)
    const heads = await verifyHeadsOf(context, workspace.id, evidence)
    found.push({ faults: faults.length, day: undefined }, heads)
  }
  if (name === undefined) {
    found.push(await verifyInstallation(context, evidence))
    const known = new Set<string>([NO_WORKSPACE, ...workspaces.map(({ id }) => id)])
    found.push(...strangersAmong(evidence.kept, known, say))
  }
  return sayVerdict(found, workspaces.length, say)
}

function sayVerdict(
  found: readonly Verified[],
  workspaces: number,
  say: CommandContext['say'],
): number {
  const faults = found.reduce((sum, one) => sum + one.faults, 0)
  const [day] = found.flatMap((one) => one.day ?? []).toSorted()
  if (day !== undefined) say(`the first day whose head shows a fault: ${day}`)
  const verdict = faults === 0 ? 'the books are correct' : `${count(faults, 'fault')} found`
  say(`${count(workspaces, 'workspace')} verified: ${verdict}`)
  return faults === 0 ? 0 : 1
}

async function openState(path: string): ReturnType<typeof openCheckpoints> {
  try {
    return await openCheckpoints(ofCaller(path))
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

async function evidenceOf(
  { env, say }: CommandContext,
  { heads, key: files = [] }: { heads?: string | undefined; key?: string[] | undefined },
): Promise<Evidence> {
  try {
    const place = headsPlaceFrom(env)
    const own = place === undefined ? undefined : await readKeyFile(place.key)
    const named = (await allInOrder(files.map(keysIn))).flat()
    const keys = new Set(files.length > 0 ? named : own?.known)
    const { kept, unreadable } =
      heads === undefined ? { kept: [], unreadable: [] } : await readFolder(ofCaller(heads))
    if (unreadable.length > 0)
      throw new UsageError(`these files hold no head: ${unreadable.join(', ')}`)
    if (heads !== undefined && kept.length === 0)
      throw new UsageError(`there are no heads in ${heads}`)
    if (keys.size > 0) return { kept, keys }
    const first = kept[0]?.head.public_key
    if (first === undefined) return { kept, keys: undefined }
    say(`no key is named: the heads must be signed like the first, by ${fingerprintOf(first)}`)
    return { kept, keys: new Set([first]) }
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/** A file of public keys, or an exported head, whose key it is. */
async function keysIn(file: string): Promise<string[]> {
  const text = await readFile(ofCaller(file), 'utf8')
  const keys = [readExported(text)?.head.public_key ?? [], publicKeysIn(text)].flat()
  if (keys.length === 0) throw new UsageError(`${file} holds no key`)
  return keys
}

async function verifyHeadsOf(
  { db, say }: CommandContext,
  workspace: WorkspaceId,
  { kept, keys }: Evidence,
): Promise<Verified> {
  const own = kept.filter(({ head }) => head.workspace === workspace)
  const { heads, last_day, faults } = await verifyHeads(db, workspace, { keys, kept: own })
  if (heads > 0 || own.length > 0) {
    const compared = own.length === 0 ? '' : `, compared with ${own.length} that were kept`
    say(`  ${count(heads, 'head')}, the last of ${last_day ?? 'no day'}${compared}`)
  }
  for (const { day, text } of faults) say(`  ${day}: ${text}`)
  return verdictOf(faults)
}

const verdictOf = (faults: readonly HeadFault[]): Verified => ({
  faults: faults.length,
  day: faults[0]?.day,
})

/** What of the security log belongs to no workspace. */
async function verifyInstallation(context: CommandContext, evidence: Evidence): Promise<Verified> {
  const log = await verifySecurityLog(context.db, NO_WORKSPACE)
  for (const fault of log.faults) context.say(`the installation: ${fault}`)
  const heads = await verifyHeadsOf(context, NO_WORKSPACE, evidence)
  return { ...heads, faults: heads.faults + log.faults.length }
}

function strangersAmong(
  kept: readonly KeptHead[],
  known: ReadonlySet<string>,
  say: CommandContext['say'],
): Verified[] {
  return kept
    .filter(({ head }) => !known.has(head.workspace))
    .map(({ head: { day, workspace } }) => {
      say(`${day}: there is no workspace ${workspace}, and a head of it was kept`)
      return { faults: 1, day }
    })
}
