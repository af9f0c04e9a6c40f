/** Why there is no connection: a sentence with the variable, and never the password. */
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { UsageError } from '../core/usage.ts'
import { connectTo } from './login.ts'
import { freePort } from './ports.ts'
import { testDatabase } from './testing.ts'

const SECRET = 'known-to-nobody'

const { url, drop } = await testDatabase({ maximumConnections: 1 })
after(() => drop())

const faultOf = (address: string): Promise<string> =>
  connectTo(address, 'KONTOR_OWNER_DATABASE_URL').then(
    () => assert.fail('it connected'),
    (error: unknown) => {
      assert.ok(error instanceof UsageError)
      assert.ok(!error.message.includes(SECRET), error.message)
      return error.message
    },
  )

const changed = (change: (address: URL) => void): string => {
  const address = new URL(url)
  change(address)
  return address.href
}

it('an address that is none', async () => {
  for (const address of ['kontor', '/var/run/postgresql', `https://u:${SECRET}@host/kontor`])
    assert.match(
      await faultOf(address),
      /^KONTOR_OWNER_DATABASE_URL must be an address such as postgres:\/\//,
    )
  assert.match(
    await faultOf(`postgres://u:${SECRET}#@host:x/kontor`),
    /^KONTOR_OWNER_DATABASE_URL: it is no address: .* %40/,
  )
})

it('a place where nobody listens, and a host that nobody knows', async () => {
  const port = await freePort()
  assert.equal(
    await faultOf(`postgres://u:${SECRET}@127.0.0.1:${port}/kontor`),
    `KONTOR_OWNER_DATABASE_URL: no PostgreSQL listens at 127.0.0.1:${port}`,
  )
  assert.equal(
    await faultOf(`postgres://u:${SECRET}@nowhere.invalid/kontor`),
    'KONTOR_OWNER_DATABASE_URL: the host nowhere.invalid is not known here',
  )
})

it('a database that is not there, and a login that is not let in', async () => {
  assert.match(
    await faultOf(changed((address) => (address.pathname = '/nothing_here'))),
    /: database "nothing_here" does not exist there: create it first/,
  )
  assert.match(
    await faultOf(
      changed((address) => {
        address.username = 'somebody'
        address.password = SECRET
      }),
    ),
    /: the server does not let this login in: /,
  )
})
