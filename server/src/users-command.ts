/** `npm run users`: who may log in, and a new password for one whose password is lost. */
import { parseArgs } from 'node:util'
import { resetPassword, usersOfAll } from './access/index.ts'
import { operator } from './command.ts'
import type { Command, CommandContext } from './command.ts'
import { ApiError } from './core/errors.ts'
import { parseArguments, UsageError } from './core/usage.ts'

export const USERS: Command = {
  usage: 'npm run users\n       npm run users -- reset EMAIL [--enable]',
  run: users,
}

async function users({ db, clock, args, say }: CommandContext): Promise<number> {
  const { values, positionals } = parseArguments(() =>
    parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { enable: { type: 'boolean' } },
    }),
  )
  const [word, email, ...more] = positionals
  const enable = values.enable === true
  if (word === undefined && !enable) return list({ db, say })
  if (word !== 'reset' || more.length > 0)
    throw new UsageError(
      word === undefined ? '--enable belongs to reset' : `it does not know ${args.join(' ')}`,
    )
  if (email === undefined) throw new UsageError('reset takes the e-mail address of the user')
  try {
    const by = operator()
    const { user, password } = await db.tx((tx) => resetPassword(tx, clock, { email, by, enable }))
    say(`${user.email} has another password, and every session is ended`)
    say(`password ${password} (shown only this once, to be changed at the next login)`)
    return 0
  } catch (error) {
    throw error instanceof ApiError ? new UsageError(error.message) : error
  }
}

async function list({ db, say }: Pick<CommandContext, 'db' | 'say'>): Promise<number> {
  for (const { email, state, roles, last_login_at, workspace_name } of await usersOfAll(db)) {
    const used =
      last_login_at === null
        ? 'never logged in'
        : `last logged in ${new Date(last_login_at).toISOString()}`
    say(`${workspace_name}: ${email}, ${state}, ${used}, ${roles.join(' ')}`)
  }
  return 0
}
