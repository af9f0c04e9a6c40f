/** For tests: a customer with money, and a file of payouts to a wallet of theirs. */
import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { commandLine } from '../../../client/src/cli/terminal.testing.ts'
import { sql } from '../../../server/src/store/sql.ts'
import { ROOT } from '../../setup/setup.mjs'
import type { Served } from './served.testing.ts'

export async function fileOf(t: TestContext, served: Served, label: string, quantity = '3') {
  const { batches, base_url } = served
  const { account_id } = await batches.funded(label, quantity)
  const env = { KONTOR_URL: base_url, KONTOR_API_KEY: 'kontor_k' }
  const { home, kontor } = await commandLine(t, env)
  const path = join(home, 'payouts.csv')
  const rows = () =>
    batches.place.db.query<{ quantity: string }>(sql`
      select trim_scale(quantity)::text as quantity
      from withdrawals
      where account_id = ${account_id}
      order by id`)
  const payouts = {
    journal: `${path}.journal`,
    write: (lines: readonly string[]) =>
      writeFile(path, `reference,route,quantity,account,purpose\r\n${lines.join('\r\n')}\r\n`),
    run: (...more: string[]) => kontor(['payouts', 'import', path, '--format', 'json', ...more]),
    ask: (answer: string) => kontor(['payouts', 'import', path], { answers: [answer] }),
    start: () =>
      spawn(
        process.execPath,
        [join(ROOT, 'client/src/cli/main.ts'), 'payouts', 'import', path, '--yes'],
        { env: { HOME: home, ...env }, stdio: 'ignore' },
      ),
  }
  return {
    payouts,
    line: (reference: string, amount: string, purpose = reference) =>
      [reference, batches.place.routes.payout.id, amount, account_id, purpose].join(','),
    made: async () => (await rows()).map((row) => row.quantity),
    async total(): Promise<string | undefined> {
      const [row] = await batches.place.db.query<{ total: string }>(sql`
        select trim_scale(sum(quantity))::text as total
        from withdrawals
        where account_id = ${account_id}`)
      return row?.total
    },
  }
}
