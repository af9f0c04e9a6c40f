import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import pg from 'pg'
import { connectTo } from './login.ts'
import { serviceRole } from './migrate.ts'
import { provideServiceLogin } from './service-login.ts'
import { testDatabase } from './testing.ts'

const { url, drop } = await testDatabase({ maximumConnections: 1 })
const owner = new pg.Client({ connectionString: url })
await owner.connect()
const name = `test_login_${randomBytes(4).toString('hex')}`
after(async () => {
  await owner.query(`drop role if exists ${name}`)
  await owner.end()
  await drop()
})

const urlWith = (password: string): string => {
  const service = new URL(url)
  service.username = name
  service.password = password
  return service.href
}

test('the owner makes the login of the service, which may do what the service does', async () => {
  const service = urlWith('it has an @ and a /')
  await assert.rejects(connectTo(service), /does not let this login in/)
  assert.equal(await provideServiceLogin(url, service), name)
  assert.equal(await serviceRole(service), 'kontor')
  const client = await connectTo(service)
  try {
    await client.query('select id from workspaces')
    await assert.rejects(client.query('create table theirs (id int)'), /permission denied/)
    const { rows } = await client.query(
      'select rolcreaterole, rolsuper from pg_roles where rolname = user',
    )
    assert.deepEqual(rows, [{ rolcreaterole: false, rolsuper: false }])
  } finally {
    await client.end()
  }
})

test('one that is there keeps its password; who may make none says what to do', async () => {
  assert.equal(await provideServiceLogin(url, urlWith('another')), undefined)
  await assert.rejects(connectTo(urlWith('another')), /does not let this login in/)
  const service = urlWith('it has an @ and a /')
  const more = service.replace(name, `${name}_more`)
  await assert.rejects(
    provideServiceLogin(service, more),
    new RegExp(`may make no logins.*create role "${name}_more" login`),
  )
})
