/** For tests: the ISO schemas, where they lie beside the repository. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { validateXML } from 'xmllint-wasm'

const SCHEMAS = join(import.meta.dirname, '../../../../../shared/iso20022')

/** Fails when a file of a folder is not valid by the schema of the message that it says it is. */
export async function mustBeValid(folder: string): Promise<void> {
  const files = (existsSync(folder) ? readdirSync(folder) : [])
    .filter((name) => name.endsWith('.xml') && !name.startsWith('.'))
    .map((name) => ({ fileName: name, contents: readFileSync(join(folder, name), 'utf8') }))
  const messages = Map.groupBy(files, ({ contents }) => /xsd:([a-z0-9.]+)"/.exec(contents)?.[1])
  for (const [message, xml] of messages) {
    const schema = join(SCHEMAS, `${message}.xsd`)
    if (!existsSync(schema)) continue
    const contents = readFileSync(schema, 'utf8')
    const { errors } = await validateXML({ xml, schema: { fileName: 's.xsd', contents } })
    assert.deepEqual(errors, [])
  }
}
