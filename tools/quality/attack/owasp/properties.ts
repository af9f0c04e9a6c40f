/** Fields that a caller may not set, and fields that nobody, or not everybody, may see. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { newId } from '../../../../server/src/core/ids.ts'
import { permissionOfEvent } from '../../../../server/src/events/readers.ts'
import type { EventType } from '../../../../server/src/ledger/index.ts'
import { sql } from '../../../../server/src/store/sql.ts'
import { unless } from '../../faults/flow.ts'
import { codeOf, envelopeOf, shown } from '../client.ts'
import { homeOf } from '../home.ts'
import type { Attack, Seen } from '../table.ts'
import { PASSWORD } from '../target.ts'
import type { Target, Who } from '../target.ts'
import { isPermitted } from './functions.ts'
import { askOf, nameOf } from './shape.ts'

/** What a server that takes over whatever it is sent would take over. */
const TAKEN_OVER: Readonly<Record<string, unknown>> = {
  is_admin: true,
  permissions: ['users.write'],
  password_hash: 'x',
  balance: '1000000',
  state_reason: 'x',
  tenant: 'x',
  workspace_id: newId(),
  user_id: newId(),
  last_hash: 'x',
}
const SECRET_CHARACTERS = 16
const SECRETS: readonly RegExp[] = [/\$argon2/, /PRIVATE KEY/, /refresh_hash/, /password_hash/]

async function unknownFields(target: Target): Promise<Seen> {
  const token = target.other.people.EVERY.access_token
  const wrong: string[] = []
  let count = 0
  for (const endpoint of target.endpoints) {
    const { example } = endpoint
    if (typeof example !== 'object' || example === null || Array.isArray(example)) continue
    // A venue's message may hold anything.
    if (endpoint.path.endsWith('/push')) continue
    for (const [name, value] of Object.entries(TAKEN_OVER)) {
      const request = { ...askOf(endpoint, undefined, token), body: { ...example, [name]: value } }
      const answer = await target.client.ask(request)
      count += 1
      const isRefused = answer.status === 400 && answer.text.includes('UNKNOWN_FIELD')
      wrong.push(...unless(isRefused, `${name}: ${shown(request, answer)}`))
    }
  }
  return { seen: `${count} fields, ${wrong.length} taken`, wrong }
}

type UserRecord = Record<string, unknown> & { id: string; version: number }

/** A record may be sent back as it was read: what is ours to say stays as it is. */
async function readOnlyFields(target: Target): Promise<Seen> {
  const { home, other, client } = target
  const { user_id } = await target.newPerson('read-only', ['READER'])
  const token = home.people.ADMIN.access_token
  const read = async () => {
    const answer = await client.ask({ method: 'GET', path: '/api/users', token })
    const all = envelopeOf<UserRecord[]>(answer)?.data ?? []
    return all.find(({ id }) => id === user_id)
  }
  const before = await read()
  const answer = await client.ask({
    method: 'PUT',
    path: '/api/users',
    token,
    body: {
      ...before,
      workspace: other.workspace,
      system_created_at: 1,
      system_created_by: other.people.EVERY.user_id,
      last_login_at: 1,
    },
  })
  const after = await read()
  const fields = ['workspace', 'system_created_at', 'system_created_by', 'last_login_at']
  const changed = fields.filter((field) => before?.[field] !== after?.[field])
  return {
    seen: `${answer.status}; changed: ${changed.join() || 'none of them'}`,
    wrong: [
      ...unless(answer.status === 200, answer.text.slice(0, 200)),
      ...changed.map((field) => `${field} was taken over`),
    ],
  }
}

async function ownRoles(target: Target): Promise<Seen> {
  const { email, user_id: id, access_token: token } = await target.newPerson('climber', ['ADMIN'])
  const bodies: Record<string, unknown>[] = [
    { id, email, roles: ['ADMIN', 'TREASURER'], state: 'ACTIVE' },
    { id, email, roles: ['ADMIN'], state: 'DISABLED' },
    { id, email, roles: ['OWNER'], state: 'ACTIVE' },
    { id, email, roles: [], state: 'ACTIVE' },
  ]
  const wrong: string[] = []
  for (const body of bodies) {
    const request = { method: 'PUT', path: '/api/users', token, body }
    const answer = await target.client.ask(request)
    wrong.push(...unless(codeOf(answer) === 3001, shown(request, answer)))
  }
  return { seen: `${bodies.length} requests, ${wrong.length} accepted`, wrong }
}

/** What the venues' credentials and our own keys are. */
async function secretsOf({ db, sandbox }: Target): Promise<string[]> {
  const folder = join(sandbox.dir, 'credentials')
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8').trim())
  const lines = files.flatMap((text) => text.split('\n'))
  const rows = await db.query<{ password_hash: string }>(sql`
    select password_hash
    from users`)
  return [...lines, ...rows.map(({ password_hash }) => password_hash), PASSWORD].filter(
    (text) => text.length >= SECRET_CHARACTERS && !text.startsWith('-----'),
  )
}

async function secrets(target: Target): Promise<Seen> {
  const { known } = await homeOf(target)
  const hidden = await secretsOf(target)
  const { access_token: token } = target.home.people.EVERY
  const reads = target.endpoints.filter(
    ({ method, permission }) => method === 'GET' && permission !== 'public',
  )
  const home = await homeOf(target)
  const wrong: string[] = []
  for (const endpoint of reads) {
    const answer = await target.client.ask(askOf(endpoint, home, token))
    const found = hidden.filter((secret) => answer.text.includes(secret)).length
    const told = SECRETS.filter((secret) => secret.test(answer.text))
    wrong.push(
      ...unless(found + told.length === 0, `${nameOf(endpoint)} shows ${found} ${told.join()}`),
    )
  }
  return {
    seen:
      `${reads.length} reads over ${known.records.size} kinds of records searched for ` +
      `${hidden.length} secrets: ${wrong.length} shown`,
    wrong,
  }
}

const READERS: readonly Who[] = ['TRADER', 'ADMIN', 'COMPLIANCE', 'READER']

async function eventsOfOthers(target: Target): Promise<Seen> {
  await homeOf(target)
  const wrong: string[] = []
  let count = 0
  for (const who of READERS) {
    const { access_token: token } = target.home.people[who]
    const answer = await target.client.ask({ method: 'GET', path: '/api/events', token })
    if (answer.status === 403) continue
    for (const { type } of envelopeOf<{ type: EventType }[]>(answer)?.data ?? []) {
      count += 1
      wrong.push(...unless(isPermitted(permissionOfEvent(type), who), `${who} sees ${type}`))
    }
  }
  return { seen: `${count} events, ${wrong.length} of records that the reader may not see`, wrong }
}

type Hit = { kind: string; id: string }

/** The resource of each kind is the word of its list. */
async function searchOfOthers(target: Target): Promise<Seen> {
  const { known } = await homeOf(target)
  const lists = target.endpoints.filter(
    ({ effect, path }) => effect === 'list' && !path.includes(':'),
  )
  const wrong: string[] = []
  let count = 0
  for (const who of ['TRADER', 'ADMIN'] as const) {
    const { access_token: token } = target.home.people[who]
    const denied = lists.filter(({ permission }) => !isPermitted(permission, who))
    for (const { path } of denied) {
      const word = path.split('/').at(-1)?.replaceAll('-', '_').replace(/s$/, '') ?? ''
      const id = (known.records.get(`${word}_id`) ?? [])[0]?.['id']
      if (typeof id !== 'string') continue
      count += 1
      const request = { method: 'GET', path: `/api/search?q=${id}`, token }
      const answer = await target.client.ask(request)
      const hits = envelopeOf<Hit[]>(answer)?.data ?? []
      const found = Array.isArray(hits) && hits.some((hit) => hit.id === id && hit.kind === word)
      wrong.push(...unless(!found, `${who} finds a ${word}: ${shown(request, answer)}`))
    }
  }
  return { seen: `${count} searches by id, ${wrong.length} found`, wrong }
}

const row = (name: string, does: string, wanted: string, run: Attack['run']): Attack => ({
  of: 'API3',
  name,
  does,
  wanted,
  run,
})

export const PROPERTIES: readonly Attack[] = [
  row(
    'fields that nobody declared',
    'adds fields that a careless server takes over to every example',
    '0 taken',
    unknownFields,
  ),
  row(
    'fields that are read only',
    'sends a record back with another tenant, author and time',
    '200, none of them changed',
    readOnlyFields,
  ),
  row('one’s own roles', 'an administrator changes the own roles', '0 accepted', ownRoles),
  row(
    'secrets in answers',
    'searches every read for passwords, keys and the venues’ credentials',
    '0 shown',
    secrets,
  ),
  row(
    'events of records that one may not see',
    'reads all events as each reader of events',
    '0',
    eventsOfOthers,
  ),
  row(
    'records found that one may not see',
    'searches for records by their ids as roles that may not list them',
    '0 found',
    searchOfOthers,
  ),
]
