import type { Measurement } from './load.ts'

export type Service = { host: string; port: number; email: string; password: string }

export type Api = {
  token(): string
  call<Data>(method: string, path: string, body?: unknown): Promise<Data>
  /** Accounts of customers made for this run, without a balance check. */
  customerAccounts(count: number): Promise<string[]>
  houseAccount(): Promise<string>
}

/** The token of a login lasts an hour, longer than a run. */
export async function connectTo(service: Service): Promise<Api> {
  const base = `http://${service.host}:${service.port}/api`
  let token = ''
  const call = async <Data>(method: string, path: string, body?: unknown): Promise<Data> => {
    const answer = await fetch(`${base}${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const json = (await answer.json()) as {
      success: boolean
      data: Data
      error_description?: string
      error_message?: string
    }
    if (!json.success)
      throw new Error(`${method} ${path}: ${json.error_description ?? json.error_message}`)
    return json.data
  }
  token = (
    await call<{ access_token: string }>('POST', '/auth/login', {
      email: service.email,
      password: service.password,
    })
  ).access_token
  return {
    token: () => token,
    call,
    async customerAccounts(count) {
      const wanted = new Set<string>()
      for (let number = 0; number < count; number += 1) {
        const customer = await call<{ id: string }>('POST', '/customers', {
          type: 'INSTITUTION',
          company_name: 'Bench',
          label: `Bench ${number}`,
          margin: 'DEFAULT',
          booking_schema: 'ADVANCED',
          ignore_balance_check: true,
          ignore_margin: true,
        })
        wanted.add(customer.id)
      }
      const accounts = await call<{ id: string; customer_id: string | null }[]>('GET', '/accounts')
      return accounts
        .filter((account) => account.customer_id !== null && wanted.has(account.customer_id))
        .map((account) => account.id)
    },
    houseAccount: async () =>
      (await call<{ id: string; type: string }[]>('GET', '/accounts')).find(
        (account) => account.type === 'HOUSE',
      )?.id ?? '',
  }
}

/** The round with the median rate. */
export function medianOf(rounds: Measurement[]): Measurement {
  const sorted = rounds.toSorted((a, b) => a.rate - b.rate)
  const median = sorted[Math.floor(sorted.length / 2)]
  if (median === undefined) throw new Error('nothing was measured')
  return median
}

export function table(title: string, rows: Map<string, Measurement>): void {
  process.stdout.write(
    `\n${title}\n${'case'.padEnd(34)}${'per second'.padStart(12)}${'p50 ms'.padStart(10)}` +
      `${'p99 ms'.padStart(10)}\n`,
  )
  for (const [name, measured] of rows)
    process.stdout.write(
      `${name.padEnd(34)}${measured.rate.toFixed(0).padStart(12)}` +
        `${measured.p50_ms.toFixed(2).padStart(10)}${measured.p99_ms.toFixed(2).padStart(10)}` +
        '\n',
    )
}
