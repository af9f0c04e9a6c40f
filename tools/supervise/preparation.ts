/**
 * The process that knows the owner of the tables and the first password. It ends before the service
 * starts, which knows neither.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { identify } from '../../server/src/core/file-lock.mjs'
import type { Prepared } from '../../server/src/preparation.ts'
import { COMPILE_CACHE, ROOT } from '../setup/setup.mjs'
import type { AdminPassword } from './admin-password.ts'
import { Refusal, type Context } from './context.ts'
import type { Database } from './database.ts'
import { inherited } from '../setup/inherited.mjs'

/** Throws a Refusal when the database cannot be made ready; why is shown by then. */
export async function prepareDatabase(
  context: Context,
  database: Database,
  { value: password }: Pick<AdminPassword, 'value'>,
): Promise<Prepared> {
  const { serviceUrl, ownerUrl } = await database.place()
  const child = spawn(process.execPath, [join(ROOT, 'server/src/preparation.ts')], {
    env: {
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      ...inherited(['KONTOR_ADMIN_EMAIL']),
      DATA_DIR: context.dataDir,
      DATABASE_URL: serviceUrl,
      KONTOR_OWNER_DATABASE_URL: ownerUrl,
      KONTOR_PARENT: 'stdin',
      ...(password === undefined ? {} : { KONTOR_ADMIN_PASSWORD: password }),
    },
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  child.stdin.on('error', () => undefined) // it may close under us
  // A migration may take long, and who is told to end does not wait for it.
  void context.end.then((why) => why === undefined && child.kill())
  const exited = new Promise<number | null>((done, fail) =>
    child.once('error', fail).once('close', done),
  )
  const who = child.pid === undefined ? undefined : identify(child.pid)
  const [code, said] = await Promise.all([
    exited,
    text(child.stdout),
    context.notes.child('preparation', who),
  ])
  if (code !== 0) throw new Refusal('the database could not be made ready: the reason stands above')
  return JSON.parse(said) as Prepared
}
