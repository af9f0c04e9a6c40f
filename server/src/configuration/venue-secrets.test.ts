import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { WorkspaceId } from '../core/ids.ts'
import { mustExist } from '../core/assert.ts'
import { refusalsOf } from '../http/testing.ts'
import type { TestServer } from '../http/testing.ts'
import { sql } from '../store/sql.ts'
import { DeclarationsWorld } from './declarations.testing.ts'
import type { DeclarationRecord, NamedVenueSecret } from './declarations.schema.ts'

const KEY = 'venue.second-kraken'
const ALL = [
  'declarations.read',
  'venues.read',
  'venues.write',
  'venues.secrets.write',
  'assets.write',
  'trading.routes.write',
]

describe('a venue that is added over the API', () => {
  let world: DeclarationsWorld
  let server: TestServer
  let workspace: WorkspaceId
  let admin: string
  let keys: { api_key: string; api_secret: string }
  let venue_id: string
  /** By which the sandbox limits nothing. */
  let tier: string

  before(async () => {
    world = await DeclarationsWorld.open()
    server = await world.serve()
    workspace = await world.newWorkspace('ours')
    admin = world.caller(workspace, ...ALL)
    keys = JSON.parse(await world.sandbox.credential('kraken.json')) as typeof keys
    const { assets = [], venues = [] } = await world.file()
    tier = mustExist(venues[0]?.options?.['tier'], 'the file says it')
    await world.apply(workspace, { version: 1, assets })
  })
  after(async () => {
    await server?.close()
    await world?.close()
  })

  const declaration = (base_url = `${world.sandbox.url}/kraken`) => ({
    label: 'Second Kraken',
    kind: 'EXCHANGE',
    options: { exchange: 'kraken', base_url, tier },
    secrets: { api_key: { stored: 'api_key' }, api_secret: { stored: 'api_secret' } },
  })
  const put = (body: unknown, token = admin) =>
    server.call<DeclarationRecord>('PUT', `/declarations/${KEY}`, { token, body })
  const secrets = (token = admin) =>
    server.call<NamedVenueSecret[]>('GET', `/venues/${venue_id}/secrets`, { token })
  const write = (name: string, value: string, token = admin, headers = {}) =>
    server.call<NamedVenueSecret>('PUT', `/venues/${venue_id}/secrets/${name}`, {
      token,
      body: { value },
      headers,
    })
  const protocols = (at = server) =>
    at.call<object[]>('GET', `/venues/${venue_id}/protocols`, { token: admin })
  const writeBoth = async () => {
    for (const [name, value] of Object.entries(keys))
      assert.equal((await write(name, value)).status, 200)
  }

  it('waits for its secrets, and says which', async () => {
    const { status, data } = await put({ declaration: declaration() })
    assert.equal(status, 200)
    assert.deepEqual(
      [data.kind, data.name, data.version, data.hand, data.in_file, data.drift],
      ['VENUE', 'second-kraken', 1, 'USER', false, null],
    )
    assert.deepEqual(data.declaration, declaration())
    venue_id = mustExist(data.venue_id, 'it was made')
    assert.deepEqual((await secrets()).data, [])
    const answer = await protocols()
    assert.equal(answer.status, 503)
    assert.match(answer.error_description ?? '', /api_key was not written yet/)
    const tasks = await world.db.query<{ kind: string }>(sql`
      select kind
      from tasks
      where workspace = ${workspace}
      order by kind`)
    assert.deepEqual(
      tasks.map(({ kind }) => kind),
      ['connect_venue', 'observe_trades', 'snapshot_venue'],
    )
  })

  it('is spoken to once they are written, which nobody can read', async () => {
    const headers = { 'idempotency-key': 'first' }
    const first = await write('api_key', `  ${keys.api_key}\n`, admin, headers)
    const again = await write('api_key', `  ${keys.api_key}\n`, admin, headers)
    assert.deepEqual(again.data, first.data)
    assert.deepEqual(Object.keys(first.data).toSorted(), [
      'name',
      'set_at',
      'set_by',
      'set_by_name',
      'usable',
    ])
    assert.equal((await write('api_secret', keys.api_secret)).status, 200)
    assert.deepEqual(
      (await secrets()).data.map(({ name, usable }) => [name, usable]),
      [
        ['api_key', true],
        ['api_secret', true],
      ],
    )
    assert.equal((await protocols()).status, 200)
    assert.equal((await balances()).data.stale, false)
    for (const secret of Object.values(keys)) {
      assert.deepEqual(await world.tablesWith(secret), [])
      assert.ok(!world.logged.includes(secret))
    }
    assert.deepEqual(await world.tablesWith('second-kraken'), [
      'declaration_changes',
      'declarations',
      'events',
      'search_terms',
      'security_log',
      'venues',
    ])
  })

  const balances = (at = server) =>
    at.call<{ stale: boolean; balances: object }>('GET', `/venues/${venue_id}/balances`, {
      token: admin,
    })

  it('is there after a restart, with the same key file and no other', async () => {
    const same = await world.serve()
    assert.equal((await balances(same)).data.stale, false)
    await same.close()
    const words = { another: /by another key/, none: /by another key/ }
    for (const key of ['another', 'none'] as const) {
      const other = await world.serve({ key })
      const answer = await protocols(other)
      assert.match(answer.error_description ?? '', words[key])
      const listed = await other.call<NamedVenueSecret[]>('GET', `/venues/${venue_id}/secrets`, {
        token: admin,
      })
      assert.ok(listed.data.every(({ usable }) => !usable))
      const written = await other.call('PUT', `/venues/${venue_id}/secrets/api_key`, {
        token: admin,
        body: { value: keys.api_key },
      })
      assert.equal(refusalsOf(written), key === 'none' ? '400  CONFLICT' : '200')
      await other.close()
    }
    await writeBoth()
  })

  it('is told of in the security log and in an event, without the secret', async () => {
    const entries = await world.db.query<{ kind: string; details: Record<string, unknown> }>(sql`
      select kind, details
      from security_log
      where workspace = ${workspace}
        and kind in ('DECLARATION_CHANGED', 'VENUE_SECRET_WRITTEN')
      order by id`)
    assert.deepEqual(
      entries.slice(0, 2).map(({ kind, details }) => [kind, details['key'] ?? details['name']]),
      [
        ['DECLARATION_CHANGED', KEY],
        ['VENUE_SECRET_WRITTEN', 'api_key'],
      ],
    )
    const [event] = await world.db.query<{ type: string; data: object }>(sql`
      select type, data - 'set_by' as data
      from events
      where workspace = ${workspace}
        and resource_id = ${venue_id}
      order by sequence
      limit 1`)
    assert.deepEqual(event, { type: 'venue.secret_written', data: { name: 'api_key' } })
  })

  it('refuses a secret that it does not take, and whoever may not', async () => {
    assert.equal(refusalsOf(await write('passphrase', 'x')), '200')
    assert.equal(refusalsOf(await write('secret_pem', 'x')), '404 name NOT_FOUND')
    assert.equal(refusalsOf(await write('api_key', '  ')), '400 value FORMAT')
    assert.equal(refusalsOf(await write('api_key', '')), '400 value RANGE value FORMAT')
    const reader = world.caller(workspace, 'declarations.read', 'venues.write')
    assert.equal((await write('api_key', 'x', reader)).status, 403)
    const theirs = world.caller(await world.newWorkspace('theirs'), ...ALL)
    assert.equal((await secrets(theirs)).status, 404)
    assert.equal((await write('api_key', 'x', theirs)).status, 404)
  })

  it('marks that what was sent before may be at another account', async () => {
    const since = async () => {
      const [row] = await world.db.query<{ since: number | null }>(sql`
        select (config ->> 'reached_since')::bigint as since
        from venues
        where id = ${venue_id}`)
      return row?.since ?? 0
    }
    const before = await since()
    await writeBoth()
    const written = await since()
    assert.ok(written >= before && written > 0)
    await put({ declaration: { ...declaration(), label: 'Renamed' } })
    assert.equal(await since(), written, 'another label is the same connection')
    await put({ declaration: declaration() })
  })

  it('takes no secret along to another address', async () => {
    const elsewhere = `http://127.0.0.1:9/kraken`
    const moved = await put({ declaration: declaration(elsewhere), version: 3 })
    assert.equal(moved.status, 200)
    assert.ok((await secrets()).data.every(({ usable }) => !usable))
    const answer = await protocols()
    assert.equal(answer.status, 503)
    assert.match(answer.error_description ?? '', /another address/)
    const [row] = await world.db.query<{ left: number }>(sql`
      select count(wrapped)::integer as left
      from venue_secrets`)
    assert.equal(row?.left, 0)
    // Back at the first address they are written anew too.
    await put({ declaration: declaration() })
    assert.match((await protocols()).error_description ?? '', /another address/)
    await writeBoth()
    assert.equal((await protocols()).status, 200)
  })

  it('opens none that somebody has bound to another place in the database', async () => {
    await world.db.query(sql`
      update venues
      set config = jsonb_set(config, '{options,base_url}', '"http://127.0.0.1:9/kraken"')
      where id = ${venue_id}`)
    assert.match((await protocols()).error_description ?? '', /another address/)
    await world.db.query(sql`
      update venue_secrets
      set target = replace(target, ${world.sandbox.url}, 'http://127.0.0.1:9')
      where venue_id = ${venue_id}`)
    assert.match((await protocols()).error_description ?? '', /cannot be opened/)
    await put({ declaration: { ...declaration(), label: 'Second' } })
    await writeBoth()
    assert.equal((await protocols()).status, 200)
  })

  it('is judged again when it is opened, as the operator then allows', async () => {
    const rules = { isAllowed: () => false, plain: true, variable: 'KONTOR_VENUE_NETWORKS' }
    const strict = await world.serve({ rules })
    const answer = await protocols(strict)
    assert.match(answer.error_description ?? '', /no public address/)
    await strict.close()
  })

  it('is disabled when it is removed, and takes no secret then', async () => {
    const removed = await server.call<DeclarationRecord>('DELETE', `/declarations/${KEY}`, {
      token: admin,
    })
    assert.equal(removed.data.declaration, null)
    assert.equal((await protocols()).status, 503)
    assert.equal(refusalsOf(await write('api_key', 'x')), '400 venue_id NOT_ACTIVE')
  })
})
