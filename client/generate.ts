/**
 * Writes src/generated.ts, the types of every path, from the OpenAPI document of the service:
 * `node client/generate.ts <openapi.json>`.
 */
import { readFile, writeFile } from 'node:fs/promises'
import openapiTS, { astToString } from 'openapi-typescript'

const HEAD = '// Generated from the OpenAPI document; changes here are lost.\n\n'

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
