/** `npm run screening`: which sanctions lists are loaded, and the next version of one. */
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import { operator } from './command.ts'
import type { Command, CommandContext } from './command.ts'
import type { WorkspaceId } from './core/ids.ts'
import { count, ofCaller, parseArguments, UsageError } from './core/usage.ts'
import { lastVersion, LIST_NAMES, loadList, readListFiles } from './screening/index.ts'
import type { ListFile, LoadedList, ScreeningList } from './screening/index.ts'
import { sql } from './store/sql.ts'

export const SCREENING: Command = {
  usage:
    'npm run screening [-- --workspace NAME]\n' +
    '       npm run screening -- load FILE… [--workspace NAME] [--smaller]',
  run: screening,
}

/** Of the records that cannot be read; all of them are stored. */
const MAXIMUM_SAID = 20

type Workspace = { id: WorkspaceId; name: string }

async function screening(context: CommandContext): Promise<number> {
  const { values, positionals } = parseArguments(() =>
    parseArgs({
      args: [...context.args],
      allowPositionals: true,
      options: { workspace: { type: 'string' }, smaller: { type: 'boolean' } },
    }),
  )
  const [word, ...files] = positionals
  const workspaces = await workspacesOf(context, values.workspace)
  if (word === undefined && values.smaller !== true) return sayLists(context, workspaces)
  if (word !== 'load')
    throw new UsageError(
      word === undefined ? '--smaller belongs to load' : `it does not know ${word}`,
    )
  if (files.length === 0) throw new UsageError('load takes the files of one list')
  return load(context, workspaces, { files, smaller: values.smaller === true })
}

/** All of them, where none is named. */
async function workspacesOf(
  { db }: CommandContext,
  name: string | undefined,
): Promise<Workspace[]> {
  const all = await db.query<Workspace>(sql`
    select id, name
    from workspaces
    order by name`)
  const named = name === undefined ? all : all.filter((workspace) => workspace.name === name)
  if (named.length === 0)
    throw new UsageError(name === undefined ? 'there is no workspace' : `no workspace ${name}`)
  return named
}

async function sayLists(
  { db, say }: CommandContext,
  workspaces: readonly Workspace[],
): Promise<number> {
  for (const { id, name } of workspaces) {
    const loaded: string[] = []
    for (const list of LIST_NAMES) {
      const version = await lastVersion(db, id, list)
      if (version !== undefined) loaded.push(factsOf(version))
    }
    if (loaded.length === 0) say(`${name}: no list is loaded`)
    for (const facts of loaded) say(`${name}: ${facts}`)
  }
  return 0
}

const factsOf = ({
  list,
  number,
  published,
  entries,
  terms,
  sha256,
  system_created_at,
}: ScreeningList): string =>
  `${list} version ${number}${published === null ? '' : ` of ${published}`}, ` +
  `loaded ${new Date(system_created_at).toISOString()}, ${count(entries, 'entry', 'entries')}, ` +
  `${count(terms, 'term')}, sha256 ${sha256}`

async function load(
  { db, clock, say }: CommandContext,
  workspaces: readonly Workspace[],
  { files, smaller }: { files: readonly string[]; smaller: boolean },
): Promise<number> {
  const given: ListFile[] = []
  for (const path of files)
    given.push({ path: basename(path), bytes: await readFile(ofCaller(path)) })
  const read = readListFiles(given)
  for (const { file, line, reason } of read.faults.slice(0, MAXIMUM_SAID))
    say(`not read: ${file} line ${line}: ${reason}`)
  if (read.faults.length > MAXIMUM_SAID)
    say(`not read: ${count(read.faults.length - MAXIMUM_SAID, 'further record')}`)
  for (const { id, name } of workspaces) {
    const by = operator()
    const loaded = await db.tx((tx) => loadList({ tx, clock }, id, read, { by, smaller }))
    say(`${name}: ${outcomeOf(loaded)}`)
  }
  return 0
}

function outcomeOf({ outcome, list }: LoadedList): string {
  if (outcome === 'known') return `these files are loaded already: ${factsOf(list)}`
  const { added, changed, removed, kept } = list
  const unread = kept === 0 ? '' : `, ${kept} not readable and kept as they were`
  return `${factsOf(list)}; ${added} added, ${changed} changed, ${removed} removed${unread}`
}
