/** For tests: a PDF as people read it, and a service that makes some. */
import { getDocumentProxy } from 'unpdf'
import { customerById } from '../customers/index.ts'
import type { Customer } from '../customers/index.ts'
import { testServer } from '../http/testing.ts'
import { ledgerEndpoints } from '../ledger/index.ts'
import { sql } from '../store/sql.ts'
import { openDeposits } from '../treasury/deposits/deposits.testing.ts'
import { treasuryEndpoints } from '../treasury/index.ts'
import { withPapers } from './index.ts'

/** `lines`: of all pages, with the cells of a row apart by `|`. */
type ReadPdf = {
  pages: number
  language: unknown
  title: unknown
  tagged: boolean
  /** The roles of the structure, as screen readers know it. */
  roles: Set<string>
  lines: string[]
}

type Item = { str: string; transform: number[] }
type Node = { role?: string; children?: Node[] }

/** Through the reader of PDF that browsers have. */
export async function readPdf(bytes: Buffer): Promise<ReadPdf> {
  const document = await getDocumentProxy(new Uint8Array(bytes))
  const { info } = (await document.getMetadata()) as unknown as { info: Record<string, unknown> }
  const marks = (await document.getMarkInfo()) as { Marked?: boolean } | null
  const roles = new Set<string>()
  const lines: string[] = []
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number)
    const { items } = (await page.getTextContent()) as unknown as { items: Item[] }
    lines.push(...linesOf(items))
    collectRoles((await page.getStructTree()) as unknown as Node, roles)
  }
  return {
    pages: document.numPages,
    language: info['Language'],
    title: info['Title'],
    tagged: marks?.Marked === true,
    roles,
    lines,
  }
}

function linesOf(items: readonly Item[]): string[] {
  const written = items.filter(({ str }) => str.trim() !== '')
  const byHeight = Map.groupBy(written, ({ transform }) => String(transform[5]))
  return [...byHeight.values()].map((line) => line.map(({ str }) => str.trim()).join('|'))
}

function collectRoles({ role, children = [] }: Node, roles: Set<string>): void {
  if (role !== undefined) roles.add(role)
  for (const child of children) collectRoles(child, roles)
}

const PERMISSIONS = ['bookings.read', 'bookings.create', 'accounts.read', 'customers.read']

export async function openPapers() {
  const deposits = await openDeposits()
  const { place } = deposits
  const { app, clock, db, workspace } = place
  const openPeriod = async () => ({ from: null, to: null })
  const all = new Set([...place.principal.permissions, ...PERMISSIONS])
  const principalWith = (permissions: ReadonlySet<string>) => ({ ...place.principal, permissions })
  const api = await testServer({
    db,
    clock,
    endpoints: withPapers({ db, clock }, [
      ...ledgerEndpoints({ ...app, openPeriod }),
      ...treasuryEndpoints(app),
    ]),
    authenticate: (token) =>
      principalWith(
        token === 'Bearer no customers'
          ? new Set([...all].filter((name) => name !== 'customers.read'))
          : all,
      ),
  })
  return {
    deposits,
    place,
    api,
    /** How the customer reads. */
    async reads(customer: Customer, language: 'en' | 'de', time_zone: string): Promise<Customer> {
      await db.query(sql`
        update customers
        set language = ${language}, time_zone = ${time_zone}
        where id = ${customer.id}`)
      return customerById(db, workspace, customer.id)
    },
    async pdf(path: string): Promise<ReadPdf> {
      const headers = { accept: 'application/pdf', authorization: 'Bearer all' }
      const answer = await api.server.inject({ method: 'GET', url: `/api${path}`, headers })
      if (answer.headers['content-type'] !== 'application/pdf') throw new Error(answer.body)
      return readPdf(answer.rawPayload)
    },
    async camt(path: string): Promise<string> {
      const headers = { accept: 'application/xml', authorization: 'Bearer all' }
      const answer = await api.server.inject({ method: 'GET', url: `/api${path}`, headers })
      if (answer.headers['content-type'] !== 'application/xml') throw new Error(answer.body)
      return answer.body
    },
    /** Who asks for a PDF and gets none. */
    refused: (path: string, token = 'all') =>
      api.call('GET', path, { token, headers: { accept: 'application/pdf' } }),
    async close(): Promise<void> {
      await api.close()
      await place.close()
    },
  }
}
