/** `npm run users`: who may log in, and a new password for one whose password is lost. */
import { parseArgs } from 'node:util'
import { resetFactorsByOperator, resetPassword, usersOfAll } from './access/index.ts'
import { operator } from './command.ts'
import type { Command, CommandContext } from './command.ts'
import { ApiError } from './core/errors.ts'
import { parseArguments, UsageError } from './core/usage.ts'

export const USERS: Command = {
  usage:
    'npm run users\n       npm run users -- reset EMAIL [--enable]\n' +
    '       npm run users -- reset-factor EMAIL',
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
  if (word === 'reset-factor' && !enable && more.length === 0)
    return withoutFactor(email, { db, clock, say })
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

async function withoutFactor(
  email: string | undefined,
  { db, clock, say }: Pick<CommandContext, 'db' | 'clock' | 'say'>,
): Promise<number> {
  if (email === undefined) throw new UsageError('reset-factor takes the e-mail address of the user')
  try {
    const by = operator()
    const user = await db.tx((tx) => resetFactorsByOperator(tx, clock, { email, by }))
    say(`${user.email} has no second factor, and every session is ended`)
    return 0
  } catch (error) {
    throw error instanceof ApiError ? new UsageError(error.message) : error
  }
}

async function list({ db, say }: Pick<CommandContext, 'db' | 'say'>): Promise<number> {
  for (const user of await usersOfAll(db)) {
    const { email, state, roles, last_login_at, second_factor, workspace_name } = user
    const used =
      last_login_at === null
        ? 'never logged in'
        : `last logged in ${new Date(last_login_at).toISOString()}`
    const factor = second_factor ? ', second factor' : ''
    say(`${workspace_name}: ${email}, ${state}, ${used}${factor}, ${roles.join(' ')}`)
  }
  return 0
}
