import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createWorkspace } from './access/index.ts'
import { runCommand } from './command.testing.ts'
import { manualClock } from './core/clock.ts'
import { newId } from './core/ids.ts'
import type { WorkspaceId } from './core/ids.ts'
import { UsageError } from './core/usage.ts'
import { testServer } from './http/testing.ts'
import { openBooks } from './ledger/index.ts'
import { SCREENING } from './screening-command.ts'
import { screeningEndpoints } from './screening/index.ts'
import type { ListFile, ScreeningList } from './screening/index.ts'
import { findEntries } from './screening/entries.ts'
import { euFile, LISTED_ETHER, ofacFiles, SDN } from './screening/lists.testing.ts'
import { sql } from './store/sql.ts'
import { testDatabase } from './store/testing.ts'

const { db, drop } = await testDatabase({ maximumConnections: 3 })
const clock = manualClock(Date.UTC(2027, 0, 1))
const folder = await mkdtemp(join(tmpdir(), 'kontor-screening-'))
let main: WorkspaceId
before(async () => {
  main = await db.tx(async (tx) => {
    for (const name of ['Main', 'Other']) {
      const { id } = await createWorkspace(tx, clock, { name })
      await openBooks({ workspace: id, by: 'test' }, { tx, clock })
      main ??= id
    }
    return main
  })
})
after(async () => {
  await drop()
  await rm(folder, { recursive: true })
})

/** Answers what it says, with hashes left out. */
async function run(...args: string[]): Promise<string[]> {
  const { lines } = await runCommand(SCREENING, { db, clock, args })
  return lines.map((line) => line.replace(/, sha256 [0-9a-f]{64}/, ''))
}

async function stored(files: readonly ListFile[]): Promise<string[]> {
  const paths = files.map(({ path }) => join(folder, path))
  for (const [index, { bytes }] of files.entries()) await writeFile(paths[index] ?? '', bytes)
  return paths
}

const currentKeys = async (list: string): Promise<string[]> => {
  const rows = await db.query<{ key: string }>(sql`
    select key
    from screening_entries
    where workspace = ${main}
      and list = ${list}
      and until is null
    order by key`)
  return rows.map(({ key }) => key)
}

const FIRST = 'OFAC_SDN version 1, loaded 2027-01-01T00:00:00.000Z, 3 entries, 9 terms'

test('loads a list for each workspace, once', async () => {
  assert.deepEqual(await run(), ['Main: no list is loaded', 'Other: no list is loaded'])
  const paths = await stored(ofacFiles())
  const counts = '3 added, 0 changed, 0 removed'
  assert.deepEqual(await run('load', ...paths), [
    `Main: ${FIRST}; ${counts}`,
    `Other: ${FIRST}; ${counts}`,
  ])
  assert.deepEqual(await run('load', ...paths, '--workspace', 'Main'), [
    `Main: these files are loaded already: ${FIRST}`,
  ])
  assert.deepEqual(await run(), [`Main: ${FIRST}`, `Other: ${FIRST}`])
})

test('a second list stands beside the first', async () => {
  const said = await run('load', ...(await stored(euFile())), '--workspace', 'Main')
  assert.deepEqual(said, [
    'not read: eu.csv line 5: it has not the 10 columns of the header',
    'not read: eu.csv line 6: it has no number of an entry',
    'Main: EU_CONSOLIDATED version 1 of 2026-11-24, loaded 2027-01-01T00:00:00.000Z, ' +
      '2 entries, 3 terms; 2 added, 0 changed, 0 removed',
  ])
  assert.equal((await run()).length, 3)
})

test('keeps the former versions, and what cannot be read any more as it was', async () => {
  const unreadable = SDN.replace('57,"FREE', '57,FREE, "')
  const renamed = unreadable.replace('INVENTED AIRLINES', 'INVENTED AIRWAYS')
  const files = ofacFiles({ sdn: `${renamed}\r\n60,"NEWCOMER",-0- ,"CUBA",${NOTHING}` })
  const said = await run('load', ...(await stored(files)), '--workspace', 'Main')
  assert.equal(
    said.at(-1),
    'Main: OFAC_SDN version 2, loaded 2027-01-01T00:00:00.000Z, 4 entries, 10 terms; ' +
      '1 added, 1 changed, 0 removed, 1 not readable and kept as they were',
  )
  assert.deepEqual(await currentKeys('OFAC_SDN'), ['36', '41', '57', '60'])
  const known = await db.query<{ name: string; since: number; until: number | null }>(sql`
    select entry #>> '{names,0}' as name, since, until
    from screening_entries
    where workspace = ${main}
      and list = 'OFAC_SDN'
      and key = '36'
    order by since`)
  assert.deepEqual(known, [
    { name: 'INVENTED AIRLINES', since: 1, until: 2 },
    { name: 'INVENTED AIRWAYS', since: 2, until: null },
  ])
})

test('names, addresses and codes are found, as any way of writing has them', async () => {
  const found = async (words: string, workspace = main) =>
    (await findEntries(db, workspace, words)).map((one) => [one.entry, one.kind, one.listed])
  assert.deepEqual(await found('s.a. invair'), [['36', 'NAME', 'INVAIR S.A.']])
  assert.deepEqual(await found('Invented Airlines'), [], 'it is called otherwise now')
  assert.deepEqual(await found(LISTED_ETHER.toUpperCase().replace('0X', '0x')), [
    ['41', 'ADDRESS', LISTED_ETHER],
  ])
  assert.deepEqual(await found('invedeff'), [['57', 'BIC', 'INVEDEFFXXX']])
  assert.deepEqual(await found(' .. '), [])
  assert.deepEqual(await found('s.a. invair', newId()), [], 'of another workspace')
})

test('does not take a list that is cut off for a shorter one', async () => {
  const cut = await stored(ofacFiles({ sdn: SDN.split('\r\n')[0] ?? '', alt: '', comments: '' }))
  await assert.rejects(run('load', ...cut, '--workspace', 'Main'), /nothing was changed/)
  assert.deepEqual(await currentKeys('OFAC_SDN'), ['36', '41', '57', '60'])
  const said = await run('load', ...cut, '--workspace', 'Main', '--smaller')
  assert.match(said[0] ?? '', /1 changed, 3 removed$/)
  assert.deepEqual(await currentKeys('OFAC_SDN'), ['36'])
  const empty = await stored(ofacFiles({ sdn: '', alt: '', comments: '' }))
  await assert.rejects(run('load', ...empty, '--smaller'), /no entry that can be read/)
})

test('says what it does not know', async () => {
  for (const args of [
    ['dance'],
    ['load'],
    ['--smaller'],
    ['--workspace', 'None'],
    ['load', '--quickly'],
  ])
    await assert.rejects(run(...args), UsageError)
})

test('the versions are listed, with what was not read, to who may see them', async () => {
  const principal = {
    workspace: main,
    user_id: newId(),
    session_id: newId(),
    permissions: new Set(['screening.read']),
  }
  const api = await testServer({
    db,
    clock,
    authenticate: () => principal,
    endpoints: screeningEndpoints({ db }),
  })
  try {
    const all = await api.call<ScreeningList[]>('GET', '/screening/lists')
    assert.deepEqual(
      all.data.map(({ list, number, current }) => [list, number, current]),
      [
        ['OFAC_SDN', 3, true],
        ['OFAC_SDN', 2, false],
        ['EU_CONSOLIDATED', 1, true],
        ['OFAC_SDN', 1, false],
      ],
    )
    const { data } = await api.call<ScreeningList[]>('GET', '/screening/lists?list=eu_consolidated')
    assert.deepEqual(
      data.flatMap(({ faults }) => faults.map(({ line }) => line)),
      [5, 6],
    )
    principal.permissions = new Set(['treasury.withdrawals.read'])
    assert.equal((await api.call('GET', '/screening/lists')).status, 403)
    assert.equal((await api.call('GET', '/screening/entries?q=invair')).status, 403)
  } finally {
    await api.close()
  }
})

const NOTHING = Array.from({ length: 8 }, () => '-0- ').join(',')
