/**
 * Writes src/generated.ts, the types of every path, from the OpenAPI document of the service:
 * `node client/generate.ts <openapi.json>`.
 */
import { readFile, writeFile } from 'node:fs/promises'
import openapiTS, { astToString } from 'openapi-typescript'

const HEAD = '// Generated from the OpenAPI document; changes here are lost.\n\n'

type Errors = Readonly<Record<string, { code: number }>>

/** The source text of src/error-codes.ts: the table of errors, and the codes of their details. */
export function errorCodes(errors: Errors, detailCodes: readonly string[]): string {
  const codes = Object.entries(errors).map(([name, { code }]) => `  ${name}: ${code},`)
  return [
    '// Generated from the errors of the service; changes here are lost.\n',
    '/** `error_code` of each error, by its name. */',
    'export const ERROR_CODES = {',
    ...codes,
    '} as const\n',
    '/** Why a request was refused, for machines: `code` of `error_details`. */',
    'export type DetailCode =',
    ...detailCodes.map((code) => `  | '${code}'`),
    '',
  ].join('\n')
}

/** The source text of src/generated.ts for this document (JSON text). */
export async function clientTypes(document: string): Promise<string> {
  return HEAD + astToString(await openapiTS(document))
}

if (import.meta.main) {
  const [path] = process.argv.slice(2)
  if (path === undefined) throw new Error('usage: node client/generate.ts <openapi.json>')
  await writeFile(
    new URL('src/generated.ts', import.meta.url),
    await clientTypes(await readFile(path, 'utf8')),
  )
}
