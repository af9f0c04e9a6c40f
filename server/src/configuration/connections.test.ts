/** By which connection a venue is reached, and that no two are reached as one account. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { mustExist } from '../core/assert.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { refusalsOf } from '../http/testing.ts'
import type { TestServer } from '../http/testing.ts'
import { sql } from '../store/sql.ts'
import { DeclarationsWorld } from './declarations.testing.ts'
import type { DeclarationRecord } from './declarations.schema.ts'
import type { Config } from './index.ts'

const ALL = [
  'declarations.read',
  'venues.read',
  'venues.write',
  'venues.secrets.write',
  'assets.write',
]

describe('the connection of a venue', () => {
  let world: DeclarationsWorld
  let server: TestServer
  let workspace: WorkspaceId
  let admin: string
  let file: Config
  let kraken: NonNullable<Config['venues']>[number]
  let keys: { api_key: string; api_secret: string }

  before(async () => {
    world = await DeclarationsWorld.open()
    workspace = await world.newWorkspace('ours')
    admin = world.caller(workspace, ...ALL)
    keys = JSON.parse(await world.sandbox.credential('kraken.json')) as typeof keys
    const { assets = [], venues = [] } = await world.file()
    kraken = mustExist(
      venues.find(({ key }) => key === 'kraken'),
      'the file has it',
    )
    await keep('kraken.json', keys)
    kraken = { ...kraken, secrets: secretsIn('kraken.json') }
    file = { version: 1, assets, venues: [kraken] }
    await world.apply(workspace, file)
    server = await world.serve()
  })
  after(async () => {
    await server?.close()
    await world?.close()
  })

  const pathOf = (name: string) => join(world.sandbox.dir, name)
  const keep = (name: string, content: object) => writeFile(pathOf(name), JSON.stringify(content))
  const secretsIn = (name: string) => ({
    api_key: { file: pathOf(name), field: 'api_key' },
    api_secret: { file: pathOf(name), field: 'api_secret' },
  })
  const rowOf = async (key: string) => {
    const [row] = await world.db.query<{
      id: string
      seen: { connection: string; account: string | null; since?: number } | null
    }>(sql`
      select id, config -> 'seen' as seen
      from venues
      where workspace = ${workspace}
        and key = ${key}`)
    return mustExist(row, key)
  }
  const seen = async (key = 'kraken') => mustExist((await rowOf(key)).seen, 'it was opened')
  /** What a process says that opens the venue now; `undefined` when it could. */
  const opened = async (key = 'kraken') => {
    const process = await world.serve()
    const { id } = await rowOf(key)
    const answer = await process.call('GET', `/venues/${id}/protocols`, { token: admin })
    await process.close()
    return answer.status === 200 ? undefined : answer.error_description
  }
  const put = (key: string, declaration: object) =>
    server.call<DeclarationRecord>('PUT', `/declarations/venue.${key}`, {
      token: admin,
      body: { declaration },
    })
  const write = async (key: string, name: string, value: string) =>
    server.call('PUT', `/venues/${(await rowOf(key)).id}/secrets/${name}`, {
      token: admin,
      body: { value },
    })

  it('is another one when a secret is exchanged inside the file of the operator', async () => {
    assert.equal(await opened(), undefined)
    const first = await seen()
    assert.equal(first.since, undefined)
    assert.equal(await opened(), undefined)
    await world.apply(workspace, file)
    assert.deepEqual(await seen(), first, 'a restart changes nothing, nor does the file')
    await keep('kraken.json', { ...keys, api_secret: 'ZXhjaGFuZ2Vk' })
    await opened()
    const second = await seen()
    assert.notEqual(second.connection, first.connection)
    assert.ok((second.since ?? 0) > 0)
    await keep('kraken.json', keys)
    assert.equal(await opened(), undefined)
    const third = await seen()
    assert.equal(third.connection, first.connection, 'what was sent before is absent here again')
    assert.ok((third.since ?? 0) >= (second.since ?? 0))
    for (const secret of Object.values(keys)) assert.deepEqual(await world.tablesWith(secret), [])
  })

  it('is refused where another venue has the same key', async () => {
    await keep('copy.json', keys)
    const copy = { ...kraken, key: 'copy', label: 'Copy', secrets: secretsIn('copy.json') }
    await world.apply(workspace, { ...file, venues: [kraken, copy] })
    assert.match(
      (await opened('copy')) ?? '',
      /its account or key is that of the venue .*: one account is/,
    )
    assert.equal(await opened(), undefined)
    await keep('copy.json', { ...keys, api_key: 'another' })
    await opened('copy')
    assert.notEqual((await seen('copy')).account, null)
    await world.apply(workspace, file)
  })

  it('goes on after two venues have exchanged their keys', async () => {
    const copy = { ...kraken, key: 'copy', label: 'Copy', secrets: secretsIn('copy.json') }
    await world.apply(workspace, { ...file, venues: [kraken, copy] })
    const other = { ...keys, api_key: 'another' }
    await keep('copy.json', keys)
    await keep('kraken.json', other)
    for (let turn = 0; turn < 2; turn += 1) for (const key of ['copy', 'kraken']) await opened(key)
    assert.equal(await opened('copy'), undefined)
    assert.notEqual((await seen('kraken')).account, null)
    await keep('copy.json', other)
    await keep('kraken.json', keys)
    for (let turn = 0; turn < 2; turn += 1) for (const key of ['copy', 'kraken']) await opened(key)
    assert.equal(await opened(), undefined)
    await world.apply(workspace, file)
  })

  it('is refused over the API and in the file where declarations tell it', async () => {
    const stored = { api_key: { stored: 'api_key' }, api_secret: { stored: 'api_secret' } }
    const { key: _key, ...declaration } = { ...kraken, label: 'Second', secrets: stored }
    assert.equal(refusalsOf(await put('second', declaration)), '200')
    assert.equal(refusalsOf(await write('second', 'api_key', keys.api_key)), '400 value DUPLICATE')
    assert.equal(refusalsOf(await write('second', 'api_key', 'of its own')), '200')
    const twin = { ...kraken, key: 'twin' }
    await assert.rejects(
      world.apply(workspace, { ...file, venues: [kraken, twin] }),
      /venues\[1\]\.secrets\.api_key is also that of venues\[0\]/,
    )
  })

  it('starts with two of before, and says why one is not reached', async () => {
    const twin = { ...kraken, key: 'twin', label: 'Twin' }
    await world.apply(workspace, {
      ...file,
      venues: [kraken, { ...twin, secrets: secretsIn('t.json') }],
    })
    await world.db.query(sql`
      update venues
      set config = jsonb_set(config, '{secrets}', ${JSON.stringify(kraken.secrets)}::jsonb)
      where workspace = ${workspace}
        and key = 'twin'`)
    assert.equal(await opened(), undefined)
    await world.apply(workspace, { ...file, venues: [kraken, twin] })
    assert.match((await opened('twin')) ?? '', /Twin: its account or key is that of the venue/)
    assert.equal(await opened(), undefined)
    await world.apply(workspace, file)
  })

  it('takes no secret of the file to where the file does not say', async () => {
    const { key: _key, ...declaration } = kraken
    assert.equal(refusalsOf(await put('kraken', { ...declaration, label: 'Ours' })), '200')
    assert.equal(await opened(), undefined)
    const { base_url = '' } = kraken.options ?? {}
    const options = { ...kraken.options, base_url: `${base_url}/moved` }
    const drifts = await world.apply(workspace, { ...file, venues: [{ ...kraken, options }] })
    assert.deepEqual(
      drifts.map(({ key }) => key),
      ['venue.kraken'],
    )
    const before = await world.sandbox.control<object[]>('GET', 'counts')
    assert.match((await opened()) ?? '', /the configuration file says another address/)
    assert.deepEqual(await world.sandbox.control<object[]>('GET', 'counts'), before)
    // The file takes it back: its word and the record agree on the address.
    await world.apply(workspace, file)
    assert.equal(await opened(), undefined)
  })
})
